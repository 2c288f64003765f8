/** Where the machine's own Node is older, `turnsole` is two processes; killing the one that is seen ends both. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { olderNode } from '../support/older-node.ts';
import { MAIN, temporaryFolder } from '../support/turnsole.ts';

const older = olderNode();
const skip = older === undefined ? 'this machine has no Node from 18 to 23' : false;

test('kill -9 of the first process ends the second one, and its chaos', {
  skip,
  timeout: 120_000,
}, async () => {
  assert.ok(older);
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  const long = engine({
    experiments: [{ name: 'pod-delete', env: { TOTAL_CHAOS_DURATION: '300', CHAOS_INTERVAL: '5' } }],
  });
  await writeFile(file, documents(webApp(1), chaosAccount(), experiment('pod-delete'), long));
  const first = spawn(older, [MAIN, 'run', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  // It closes when the last process that holds it ends.
  const closed = once(first.stdout, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: first.stdout })) {
    lines.push(line);
    if (/pod-delete hit/.test(line)) break;
  }
  const second = childOf(first.pid ?? 0);
  assert.ok(second > 0, 'it handed over to another Node');
  assert.ok(
    lines.some((line) => /pod-delete hit/.test(line)),
    lines.join('\n'),
  );
  first.stdout.resume();
  first.kill('SIGKILL');
  await closed;
  // A process closes its files a moment before it is gone.
  await until(() => !isAlive(second), 'the second process does not end');
});

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** Whether it runs: one that has ended may stand there until somebody asks how. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
