/**
 * Runs the effect tests of the network faults on a kernel that has netem, whatever kernel this machine has: Debian's, in an
 * emulated machine without disk and network. See README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpioArchive } from './cpio.ts';
import { FileSystem } from './file-system.ts';
import { isWantedModule, unpackKernel } from './kernel.ts';

const TESTS = process.argv.slice(2);
const FILES =
  TESTS.length > 0 ? TESTS : ['test/faults/network-packets.test.ts', 'test/faults/network-revert.test.ts'];
const LIMIT_MS = 14 * 60_000;
const MEMORY_MIB = 2048;
const END = 'turnsole-netem-exit';

const project = join(import.meta.dirname, '..', '..');
const kernel = unpackKernel();
const folder = mkdtempSync(join(tmpdir(), 'turnsole-netem-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const files = new FileSystem();
for (const path of ['/proc', '/sys', '/dev', '/tmp', '/root', '/etc']) files.folder(path);
files.write('/etc/hosts', '127.0.0.1 localhost\n10.99.0.1 outside.test\n');
for (const program of ['sh', 'cat', 'mount', 'ip', 'tc', 'nsenter', 'unshare', 'setpriv']) {
  files.program(program);
}
files.program('modprobe', '/sbin/modprobe');
files.program(process.execPath, '/bin/node');
files.tree(kernel.modules, `/lib/modules/${kernel.version}`, isWantedModule);
files.tree(join(project, 'src'), '/turnsole/src');
files.tree(join(project, 'test', 'faults'), '/turnsole/test/faults');
// Linked, as in a checkout: Node runs no TypeScript below node_modules.
for (const name of ['kube', 'cluster', 'cloud']) {
  files.tree(
    join(project, 'packages', name),
    `/turnsole/packages/${name}`,
    (path) => !/\/(?:dist|node_modules)$/.test(path),
  );
  files.link(`/turnsole/node_modules/@turnsole/${name}`, `../../packages/${name}`);
}
for (const name of ['pino', 'ws', 'yaml', 're2js', 'commander', 'dns-packet', 'prom-client']) {
  files.tree(join(project, 'node_modules', name), `/turnsole/node_modules/${name}`);
}
files.write('/turnsole/package.json', '{"type":"module"}');
files.write(
  '/init',
  `#!/bin/sh
export PATH=/bin:/sbin HOME=/root
echo 'the machine has started'; mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
ip link set lo up
cd /turnsole
for file in ${FILES.join(' ')}; do
  NO_COLOR=1 NODE_COMPILE_CACHE=/tmp/compiled node --test-reporter=spec "$file" || failed=1
done
echo ${END} \${failed:-0}
echo o > /proc/sysrq-trigger
while :; do read -r nothing < /dev/console; done
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
