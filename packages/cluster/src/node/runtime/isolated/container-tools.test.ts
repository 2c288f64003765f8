import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeContainerTools, parseLdd, TOOLS_IN_CONTAINER } from './container-tools.ts';

const GLIBC = `	linux-vdso.so.1 (0x00007fa97f1f3000)
	libcap-ng.so.0 => /lib/x86_64-linux-gnu/libcap-ng.so.0 (0x00007fa97f1c5000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fa97efe3000)
	/lib64/ld-linux-x86-64.so.2 (0x00007fa97f1f5000)
`;
const MUSL = `	/lib/ld-musl-aarch64.so.1 (0xffff8c4d0000)
	libcap-ng.so.0 => /usr/lib/libcap-ng.so.0 (0xffff8c450000)
	libc.musl-aarch64.so.1 => /lib/ld-musl-aarch64.so.1 (0xffff8c4d0000)
`;

test('what ldd says is read, of glibc and of musl', () => {
  assert.deepEqual(parseLdd(GLIBC), {
    loader: '/lib64/ld-linux-x86-64.so.2',
    libraries: ['/lib/x86_64-linux-gnu/libcap-ng.so.0', '/lib/x86_64-linux-gnu/libc.so.6'],
  });
  assert.deepEqual(parseLdd(MUSL), {
    loader: '/lib/ld-musl-aarch64.so.1',
    libraries: ['/usr/lib/libcap-ng.so.0'],
  });
  assert.throws(() => parseLdd('\tlibx.so.1 => not found\n'), /a library is missing: libx\.so\.1/);
});

test('the tools run in a root that has nothing else', {
  skip:
    process.platform === 'linux' && process.getuid?.() === 0 ? false : 'changing the root is a right of root',
}, async () => {
  const root = mkdtempSync(join(tmpdir(), 'turnsole-tools-'));
  chmodSync(root, 0o755);
  try {
    const tools = await makeContainerTools(join(root, TOOLS_IN_CONTAINER));
    const run = (...words: string[]): string =>
      execFileSync('chroot', [root, ...words], { encoding: 'utf8' });
    assert.equal(run(...tools.words('sh'), '-c', 'echo "$((6 * 7))"'), '42\n');
    const env = [...tools.words('env'), '-i', 'a.b=c', ...tools.words('env')];
    assert.equal(run(...tools.words('setpriv'), '--reuid', '7', ...env), 'a.b=c\n');
    assert.match(run(...tools.words('umount'), '--version'), /umount/);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
