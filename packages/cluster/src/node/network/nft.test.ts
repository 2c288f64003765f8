import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { runNft, tryNft } from './nft.ts';

const TABLE = 'inet turnsole-nft-test';

const isPossible = await tryNft(`add table ${TABLE}\n`).then(
  () => true,
  () => false,
);

test('rules for a process are put into its network namespace, and not into that of this process', {
  skip: isPossible ? false : 'nft or network namespaces cannot be used here',
}, async (t) => {
  const child = spawn('unshare', ['-n', '--', 'sleep', '60'], { stdio: 'ignore' });
  t.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('unshare did not start');
  const own = readlinkSync('/proc/self/ns/net');
  await until(
    () => readlinkSync(`/proc/${pid}/ns/net`) !== own,
    'the process has got no network namespace of its own',
  );
  await runNft(`add table ${TABLE}\n`, pid);
  const inside = execFileSync('nsenter', ['-t', String(pid), '-n', '--', 'nft', 'list', 'tables'], {
    encoding: 'utf8',
  });
  assert.ok(inside.includes(TABLE), inside);
  const outside = execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' });
  assert.ok(!outside.includes(TABLE), outside);
});
