/** Loads of several processes leave nothing to a target whose first process does not reap, however they end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { until } from '@turnsole/kube/testing/until';
import { BareContainer, bareContainerMissing as skip } from '../testing/bare-container.ts';
import type { Load } from './load.ts';
import { startStressor } from './stressor.ts';
import { sweepStress } from './sweep.ts';

/** What is needed of stress-ng where there is none: a process with workers that says so. */
const STAND_IN = `#!/bin/sh
for worker in 1 2; do sleep 1000 & done
echo 'stress-ng: info: dispatching hogs'
wait
`;

const LOADS: readonly (readonly [string, Load])[] = [
  ['stress-ng', { cpu: { workers: 2, percent: 100 } }],
  ['the built-in loader', { cpu: { workers: 1, percent: 20 } }],
];

/** Processes that load for an injection. */
function withVariable(id: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TURNSOLE_STRESS=${id}\0`)
      );
    } catch {
      return false; // gone
    }
  });
}

function eventually(what: string, isSo: () => boolean): Promise<void> {
  return until(isSo, `${what} did not come`, 30_000);
}

describe('what a load leaves to its target', { skip, concurrency: 1 }, () => {
  const path = process.env.PATH;
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-stressor-'));
    if (findProgram('stress-ng') !== undefined) return;
    writeFileSync(join(folder, 'stress-ng'), STAND_IN);
    chmodSync(join(folder, 'stress-ng'), 0o755);
    process.env.PATH = [path, folder].join(delimiter);
  });
  after(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, load] of LOADS) {
    for (const ending of ['stopped', 'swept', 'owner killed'] as const) {
      test(`${name}, ${ending}: no process, and nothing defunct`, async () => {
        await using target = await BareContainer.start();
        const id = `reaped-${process.pid}-${name}-${ending}`.replaceAll(' ', '-');
        const input = { id, load, seconds: 60, target: target.first };
        if (ending === 'owner killed') await startAndKill(input);
        else {
          const running = await startStressor(input);
          assert.ok(withVariable(id).length > 0);
          await (ending === 'stopped' ? running.stop() : sweepStress(id));
          await running.ended;
        }
        await eventually('the end of the load', () => withVariable(id).length === 0);
        assert.deepEqual(target.children(), [], 'children of the first process of the target');
      });
    }
  }
});

/** A process of its own starts the load and is killed while it lasts. */
async function startAndKill(input: object): Promise<void> {
  const url = new URL('./stressor.ts', import.meta.url).href;
  const script = `
    import { startStressor } from ${JSON.stringify(url)};
    await startStressor(${JSON.stringify(input)});
    console.log('loaded');
    setInterval(() => {}, 1e6);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(owner.stdout, 'data');
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
}
