import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, readOwnStatus } from '@turnsole/kube/base/machine';
import { type Capability, lackingCapabilities, nameCapabilities } from '@turnsole/kube/text/capabilities';
import { messageOf } from '@turnsole/kube/text/error-message';
import { commandLine, shellWord } from '@turnsole/kube/text/shell';
import { readFirstFreePort } from '../../this-process.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { readCgroupLayout } from './cgroups.ts';
import { deviceCommand } from './container-root.ts';
import { formatFstab, overlayEntry } from './fstab.ts';

/** What the isolated runtime can do on this machine. */
export type IsolationProbe =
  | {
      readonly available: true;
      readonly cgroups: CgroupLayout;
      /** Folder on a file system that can keep what containers change; made, and with the device files in it. */
      readonly layers: string;
      readonly hostMounts: readonly string[];
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
export async function probeIsolation(folder: string, name: string): Promise<IsolationProbe> {
  const { platform } = process;
  const missing = missingBasics({
    platform,
    uid: process.getuid?.(),
    tools: new Set(TOOLS.filter((tool) => findProgram(tool) !== undefined)),
    status: readOwnStatus(),
    firstFreePort: readFirstFreePort(),
  });
  if (missing !== undefined) return { available: false, missing };
  const cgroups = readCgroupLayout();
  if (cgroups === undefined) return { available: false, missing: 'no cgroup hierarchy is mounted' };
  let reason = '';
  for (const place of [folder, ...OTHER_PLACES]) {
    const tried = tryFolder(place, name);
    if (tried === undefined) continue;
    try {
      await tryIsolation(tried);
      return { available: true, cgroups, layers: tried, hostMounts: readHostMounts() };
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
  /** Programs that are there. */
  readonly tools: ReadonlySet<string>;
  /** Text of /proc/self/status. */
  readonly status: string;
  /** Lowest port that an ordinary user may listen on. */
  readonly firstFreePort: number;
}

/** Everything that prevents isolation, as far as it is known without trying; pure. */
export function missingBasics(basics: Basics): string | undefined {
  const { platform, uid, tools, status, firstFreePort } = basics;
  if (platform !== 'linux') return 'namespaces are a thing of Linux';
  if (uid !== 0) return 'the cluster does not run as root';
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
async function tryIsolation(layers: string): Promise<void> {
  const devices = join(layers, 'devices');
  const trial = mkdtempSync(join(layers, 'probe-'));
  const [upper, work, target] = ['upper', 'work', 'root'].map((name) => join(trial, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [devices, upper, work, target]) mkdirSync(folder, { recursive: true });
  const file = join(trial, 'fstab');
  const fstab = formatFstab([
    overlayEntry({ lower: ['/'], upper, work, target, readOnly: false }),
    { source: 'proc', target: join(target, 'proc'), type: 'proc', options: [] },
    { source: 'sysfs', target: join(target, 'sys'), type: 'sysfs', options: ['ro'] },
  ]);
  writeFileSync(file, fstab);
  const script = [
    'set -e',
    commandLine(deviceCommand(devices)),
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

/** File systems that hold programs and data, as against those that the kernel or a session fills. */
const DATA_TYPES =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|overlay|virtiofs|9p|nfs4?|fuseblk|bcachefs|squashfs|erofs)$/;
const OWN_PLACES = /^\/(?:proc|sys|dev|run|tmp|boot)(?:\/|$)/;
const MAX_HOST_MOUNTS = 16;

function readHostMounts(): string[] {
  const mounts = hostMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  // Docker mounts single files over those of its image; a container has its own of these.
  return mounts.filter((path) => {
    try {
      accessSync(join(path, '.'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The mounted folders of a machine that belong to what containers see, outermost first; pure. */
export function hostMounts(mountInfo: string): string[] {
  const found = mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const point = (left.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_text, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    const type = right.split(' ')[0] ?? '';
    return DATA_TYPES.test(type) && point !== '/' && !OWN_PLACES.test(point) && !/[,:\\]/.test(point)
      ? [point]
      : [];
  });
  return [...new Set(found)].sort((a, b) => a.length - b.length).slice(0, MAX_HOST_MOUNTS);
}
