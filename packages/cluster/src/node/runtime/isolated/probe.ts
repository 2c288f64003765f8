import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, readOwnStatus } from '@turnsole/kube/base/machine';
import { type Capability, lackingCapabilities, nameCapabilities } from '@turnsole/kube/text/capabilities';
import { messageOf } from '@turnsole/kube/text/error-message';
import { commandLine, shellWord } from '@turnsole/kube/text/shell';
import { readFirstFreePort } from '../../this-process.ts';
import { readUserNamespace, type UserNamespace } from '../../user-namespace.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { readCgroupLayout } from './cgroups.ts';
import { deviceCommand } from './container-root.ts';
import { formatFstab, overlayEntry } from './fstab.ts';
import { type HostImage, readHostImage } from './host-image.ts';

/** What the isolated runtime can do on this machine. */
export type IsolationProbe =
  | {
      readonly available: true;
      /** Undefined where there are none. */
      readonly cgroups: CgroupLayout | undefined;
      /** Folder on a file system that can keep what containers change; made, and with the device files in it. */
      readonly layers: string;
      readonly image: HostImage;
    }
  | { readonly available: false; readonly missing: string };

/** Programs of util-linux and iproute2 that pods are made with. */
const TOOLS = ['unshare', 'nsenter', 'setpriv', 'mount', 'umount', 'pivot_root', 'ip', 'cp'] as const;
const PROBE_LIMIT_MS = 5_000;

/** Folders for layers, in case the cluster's own is on a file system that cannot hold them. */
const OTHER_PLACES = ['/dev/shm', '/run', '/var/tmp'] as const;

/** Where the layers of a cluster may be outside of its folder, by the name of that. Pure. */
export function layersElsewhere(name: string): string[] {
  return OTHER_PLACES.map((place) => join(place, `${name}-layers`));
}

/** Capabilities for pods that one trial does not show: their files, networks, users, and the ends of their processes. */
const CAPABILITIES: readonly Capability[] = [
  'SYS_ADMIN',
  'NET_ADMIN',
  'SYS_CHROOT',
  'MKNOD',
  'DAC_OVERRIDE',
  'SETUID',
  'SETGID',
  'KILL',
];

/** Finds out whether pods can be isolated, by doing it once without a pod. Never rejects. */
export async function probeIsolation(
  folder: string,
  name: string,
  notRootless?: string,
): Promise<IsolationProbe> {
  const { platform } = process;
  const missing = missingBasics({
    platform,
    uid: process.getuid?.(),
    notRootless,
    tools: new Set(TOOLS.filter((tool) => findProgram(tool) !== undefined)),
    status: readOwnStatus(),
    firstFreePort: readFirstFreePort(),
  });
  if (missing !== undefined) return { available: false, missing };
  const cgroups = readCgroupLayout();
  const users = readUserNamespace();
  if (cgroups === undefined && users.isMachine)
    return { available: false, missing: 'no cgroup hierarchy is mounted' };
  let reason = '';
  for (const place of [folder, ...OTHER_PLACES]) {
    const tried = tryFolder(place, name);
    if (tried === undefined) continue;
    try {
      const image = readHostImage(users.isMachine, join(tried, 'root'));
      await tryIsolation(tried, image, users);
      return { available: true, cgroups, layers: tried, image };
    } catch (error) {
      reason ||= messageOf(error);
      rmSync(tried, { recursive: true, force: true });
    }
  }
  return { available: false, missing: reason };
}

/** Input of {@link missingBasics}. */
interface Basics {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  /** Why this user is not root of namespaces of his own. */
  readonly notRootless?: string | undefined;
  /** Programs that are there. */
  readonly tools: ReadonlySet<string>;
  /** Text of /proc/self/status. */
  readonly status: string;
  /** Lowest port that an ordinary user may listen on. */
  readonly firstFreePort: number;
}

/** Everything that prevents isolation, as far as it is known without trying; pure. */
export function missingBasics(basics: Basics): string | undefined {
  const { platform, uid, notRootless, tools, status, firstFreePort } = basics;
  if (platform !== 'linux') return 'namespaces are a thing of Linux';
  if (uid !== 0)
    return ['the cluster does not run as root', ...(notRootless === undefined ? [] : [notRootless])].join(
      ', and ',
    );
  // Cluster DNS listens on port 53, services on whatever they like.
  const ports: readonly Capability[] = firstFreePort > 1 ? ['NET_BIND_SERVICE'] : [];
  const capabilities = lackingCapabilities(status, [...CAPABILITIES, ...ports]);
  const programs = TOOLS.filter((tool) => !tools.has(tool));
  const missing = [
    ...(capabilities.length === 0 ? [] : [`the cluster lacks ${nameCapabilities(capabilities)}`]),
    ...(programs.length === 0
      ? []
      : [`${programs.join(', ')} not found in PATH; install util-linux and iproute2`]),
  ];
  return missing.length === 0 ? undefined : missing.join('; ');
}

function tryFolder(place: string, name: string): string | undefined {
  try {
    const folder = place.endsWith(name) ? join(place, 'layers') : join(place, `${name}-layers`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return undefined;
  }
}

/** Makes all kinds of namespaces and mounts the kinds of file systems a container has, and leaves them. */
async function tryIsolation(layers: string, image: HostImage, users: UserNamespace): Promise<void> {
  const trial = mkdtempSync(join(layers, 'probe-'));
  const devices = users.isMachine ? join(layers, 'devices') : undefined;
  const [upper, work, target] = ['upper', 'work', 'root'].map((name) => join(trial, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [...(devices === undefined ? [] : [devices]), upper, work, target])
    mkdirSync(folder, { recursive: true });
  const file = join(trial, 'fstab');
  const ofUser = !users.isMachine;
  const fstab = formatFstab([
    overlayEntry({ lower: [image.root], upper, work, target, readOnly: false, ofUser }),
    { source: 'proc', target: '/proc', type: 'proc', options: [] },
    { source: 'sysfs', target: '/sys', type: 'sysfs', options: ['ro'] },
  ]);
  writeFileSync(file, fstab);
  const script = [
    'set -e',
    ...(devices === undefined ? [] : [commandLine(deviceCommand(devices))]),
    `mount -a -T ${shellWord(file)}`,
    `: > ${shellWord(join(target, '.turnsole'))}`,
    `ip link add turnsole-probe type bridge`,
  ].join('\n');
  try {
    await run('unshare', ['-m', '-n', '-u', '-i', '-p', '--fork', '--kill-child', '/bin/sh', '-c', script]);
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

function run(file: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: PROBE_LIMIT_MS }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(stderr.trim().split('\n')[0] || error.message));
    });
  });
}
