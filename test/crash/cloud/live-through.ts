import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isOpen, LABEL_RUN_ID, type LedgerEntry } from '../../../src/api/index.ts';
import { RECOVER_VARIABLE } from '../../../src/chaos/recovery/recovery-job.ts';
import { openGate } from '../../faults/cloud/support/gate.ts';
import type { ExperimentCluster } from '../../support/experiment-cluster.ts';
import { Seeded } from '../../support/seeded.ts';
import type { Peer } from './scene.ts';

const PROGRAM = fileURLToPath(new URL('./experiment-process.ts', import.meta.url));
/** A whole run takes no more requests, so that some seeds let it end. */
const MOST_REQUESTS = 30;
/** Recoveries after which none is killed any more. */
const MOST_DEATHS = 3;

/** What became of a seed. */
export interface Life {
  readonly fault: string;
  /** How often a process of it was killed. */
  readonly deaths: number;
}

/**
 * Runs the fault that a seed means, and kills its process at a request of it: before the API gets it, or before its answer is back. So are some of the
 * recoveries. At the end nothing may be in force, by the API and by the ledger.
 *
 * @throws AssertionError with what is left
 */
export async function liveThrough(cluster: ExperimentCluster, peer: Peer, seed: number): Promise<Life> {
  const seeded = new Seeded(seed);
  const scene = await peer.scene(seeded);
  const before = await scene.state();
  const namespace = await cluster.namespace();
  await cluster.engine(namespace, scene.fault);
  let child: ChildProcess | undefined;
  let requests = 0;
  let deadly = Number.POSITIVE_INFINITY;
  let reaches = true;
  await using gate = await openGate(scene.api, () => '');
  gate.rule = (asked) => {
    const dies = ++requests === deadly;
    if (dies && !reaches) {
      child?.kill('SIGKILL');
      return 'cut';
    }
    if (dies) child?.kill('SIGKILL');
    return scene.answer?.(asked);
  };
  const env = {
    PATH: process.env.PATH ?? '',
    LOG_LEVEL: 'silent',
    CHAOSENGINE: 'eng',
    CHAOS_NAMESPACE: namespace,
    RUN_ID: 'run1',
    TOTAL_CHAOS_DURATION: '2',
    CHAOS_INTERVAL: seeded.chance(0.3) ? '1' : '2',
    SEQUENCE: seeded.pick(['parallel', 'serial']),
    ...scene.env(gate.url),
  };
  const result = `eng-${scene.fault}`;
  let deaths = 0;
  const live = async (own: Readonly<Record<string, string>>, isMortal: boolean): Promise<boolean> => {
    requests = 0;
    deadly = isMortal ? seeded.between(1, MOST_REQUESTS) : Number.POSITIVE_INFINITY;
    reaches = seeded.chance(0.5);
    child = spawn(process.execPath, [PROGRAM, '-name', scene.fault, '-kubeconfig', cluster.kubeconfigPath], {
      env: { ...env, ...own },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal === null) return true;
    deaths++;
    return false;
  };
  if (!(await live({}, true))) {
    while (!(await live({ [RECOVER_VARIABLE]: result }, deaths < MOST_DEATHS && seeded.chance(0.4))));
  }
  assert.equal(await scene.state(), before, `${scene.fault} left something`);
  const stored = await cluster.result(namespace, result).catch(() => undefined);
  assert.ok(stored === undefined || stored.metadata.labels?.[LABEL_RUN_ID] === 'run1');
  const open = Object.values<LedgerEntry>(stored?.status?.ledger ?? {}).filter(isOpen);
  assert.deepEqual(open, [], `${scene.fault} has open entries`);
  return { fault: scene.fault, deaths };
}
