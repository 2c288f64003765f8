/**
 * Runs tests on a kernel that has netem and cgroups of version 2, whatever this machine has: Debian's, in an emulated machine whose root is
 * that of this machine, read-only. See README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { shellWord } from '@turnsole/kube/text/shell';
import { cpioArchive } from './cpio.ts';
import { FileSystem } from './file-system.ts';
import { FOR_ROOT, isForRoot, unpackKernel } from './kernel.ts';

const TESTS = process.argv.slice(2);
const FILES =
  TESTS.length > 0 ? TESTS : ['test/faults/network-packets.test.ts', 'test/faults/network-revert.test.ts'];
const LIMIT_MS = 14 * 60_000;
const MEMORY_MIB = 2048;
const END = 'turnsole-netem-exit';

/** What the machine does once it has its root. The kernel loads modules by the program that is named to it. */
const INSIDE = `
export PATH=/run/node:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run/home NO_COLOR=1 NODE_COMPILE_CACHE=/tmp/compiled
printf '#!/bin/sh\\nexec modprobe -d /run/kernel "$@"\\n' > /run/modprobe; chmod +x /run/modprobe
echo /run/modprobe > /proc/sys/kernel/modprobe
printf '127.0.0.1 localhost\\n10.99.0.1 outside.test\\n' > /run/hosts; mount --bind /run/hosts /etc/hosts
ip link set lo up
cd /run/project
for file in ${FILES.map(shellWord).join(' ')}; do node --test-reporter=spec "$file" || failed=1; done
echo ${END} \${failed:-0}
echo o > /proc/sysrq-trigger
while :; do read -r nothing < /dev/console; done
`;

const project = join(import.meta.dirname, '..', '..');
const kernel = unpackKernel();
const folder = mkdtempSync(join(tmpdir(), 'turnsole-netem-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** What the machine sees of this one apart, for its own folders for what changes hide what is there: by its name below /run. */
const SHOWN = { project, kernel: kernel.root, node: dirname(process.execPath) };

const files = new FileSystem();
for (const path of ['/proc', '/sys', '/dev', '/host']) files.folder(path);
for (const program of ['sh', 'mount', 'mkdir', 'chroot']) files.program(program);
files.program('modprobe', '/sbin/modprobe');
files.tree(kernel.modules, `/lib/modules/${kernel.version}`, isForRoot);
files.write(
  '/init',
  `#!/bin/sh
export PATH=/bin:/sbin
echo 'the machine has started'
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in ${FOR_ROOT.join(' ')}; do modprobe $module || exit 1; done
mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro,msize=512000 root /host && cd /host || exit 1
mount -t tmpfs run run
for shown in ${Object.entries(SHOWN)
    .map(([name, path]) => shellWord(`${name}:${path}`))
    .join(' ')}; do
  mkdir run/\${shown%%:*} && mount --bind ".\${shown#*:}" run/\${shown%%:*} || exit 1
done
for folder in tmp var/tmp; do mount -t tmpfs own $folder; done
mount -t proc proc proc; mount -t sysfs sys sys; mount -t devtmpfs dev dev; mount -t cgroup2 cgroup sys/fs/cgroup
mkdir dev/shm dev/pts run/home; mount -t tmpfs shm dev/shm; mount -t devpts pts dev/pts
mount -n --move . / && exec chroot . /bin/sh -c ${shellWord(INSIDE)}
`,
);

const archive = join(folder, 'initramfs');
const output = createWriteStream(archive);
for (const chunk of cpioArchive(files.entries)) if (!output.write(chunk)) await once(output, 'drain');
output.end();
await once(output, 'finish');

const started = performance.now();
const machine = spawn(
  'qemu-system-x86_64',
  [
    ...[
      // Emulated on purpose: nested virtualisation is there on some machines and hangs on others.
      '-accel',
      'tcg',
      '-cpu',
      'max',
      '-m',
      String(MEMORY_MIB),
      '-nodefaults',
      '-no-reboot',
      '-display',
      'none',
    ],
    ...['-serial', 'stdio', '-kernel', kernel.image, '-initrd', archive],
    ...['-append', 'console=ttyS0 quiet panic=-1 rdinit=/init'],
    ...['-virtfs', 'local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const timer = setTimeout(() => machine.kill('SIGKILL'), LIMIT_MS);
let code: number | undefined;
for await (const line of createInterface({ input: machine.stdout })) {
  const text = line.trimEnd();
  if (text.startsWith(END)) code = Number(text.split(' ')[1]);
  else console.log(text);
}
clearTimeout(timer);
console.log(`the machine ran for ${Math.round((performance.now() - started) / 1000)} s`);
if (code === undefined) console.error('the machine ended before the tests did');
process.exitCode = code ?? 1;
