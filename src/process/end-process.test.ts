import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

const MODULE = JSON.stringify(new URL('./end-process.ts', import.meta.url).href);

/** What a process may leave behind when it ends with code 3, and what it prints. */
const LEFT: readonly [what: string, code: string][] = [
  ['nothing', ''],
  ['a server and a timer', "net.createServer().listen(0, '127.0.0.1'); setInterval(() => {}, 1000);"],
  ['work that fails meanwhile', "setImmediate(() => { throw new Error('late'); });"],
  ['a promise that is rejected meanwhile', "void Promise.reject(new Error('late'));"],
];

for (const [what, code] of LEFT) {
  test(`a process ends with its code, whatever it leaves open: ${what}`, async () => {
    const text = `import net from 'node:net'; import { endProcess } from ${MODULE}; ${code} endProcess(3);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    child.stderr.setEncoding('utf8');
    let said = '';
    child.stderr.on('data', (piece: string) => {
      said += piece;
    });
    const [exitCode] = await once(child, 'close');
    assert.deepEqual([exitCode, said], [3, '']);
  });
}

test('signals that come while a process ends do not change its code', async () => {
  const text = `import { endProcess } from ${MODULE}; process.on('SIGTERM', () => {}); console.log('begun'); endProcess(3);`;
  // Without a handler in its last milliseconds about every second process would be killed by the signal.
  for (let round = 0; round < 10; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    while (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await setImmediate();
    }
    assert.deepEqual(await ended, [3, null]);
  }
});
