import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import { engineOf, resultOf, storeEngine } from '../../src/components/exporter/testing/results.ts';

/** Requests under way at a time. */
const AT_ONCE = 16;
export const NAMESPACES_USED = 20;
const FAULTS = ['pod-delete', 'pod-network-latency', 'node-cpu-hog', 'container-kill'];

export const namespaceOf = (index: number): string => `team-${index % NAMESPACES_USED}`;

const faultOf = (index: number): string => FAULTS[index % FAULTS.length] ?? '';

/** A result as an experiment with six injections and three probes leaves it. */
export function endedResult(index: number): ChaosResult {
  const experiment = faultOf(index);
  const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
  const runId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const actor = `experiment/${experiment}`;
  const line = (step: string, seconds: number): object => ({
    time: at(seconds),
    actor,
    step,
    object: `pod/${namespaceOf(index)}/web-54b5f54b77-xbjrh`,
    message: `${experiment} did a step of its work on a pod with a long name, and says so`,
    runId,
  });
  const rounds = [0, 1, 2, 3, 4, 5];
  const entries = rounds.map((round) => {
    const id = `${runId}.r${round}.web`;
    const target = { kind: 'pod', namespace: namespaceOf(index), name: 'web-54b5f54b77-xbjrh' };
    const times = { plannedAt: at(round), injectedAt: at(round + 0.2), revertedAt: at(round + 10) };
    return [id, { id, fault: experiment, target, parameters: {}, state: 'reverted', ...times }];
  });
  const probes = rounds.slice(3).map((number) => ({
    name: `probe-${number}`,
    type: 'httpProbe',
    mode: 'SOT',
    status: { verdict: 'Passed', description: 'The URL did respond with correct status code' },
  }));
  const isPass = index % 5 > 0;
  return resultOf({
    name: `run-${index}-${experiment}`,
    engine: `run-${index}`,
    experiment,
    verdict: isPass ? 'Pass' : 'Fail',
    percentage: isPass ? '100' : '50',
    runs: isPass ? [1, 0, 0] : [0, 1, 0],
    runId,
    status: {
      probeStatuses: probes,
      ledger: Object.fromEntries(entries),
      timeline: [
        line('ExperimentStarted', 0),
        line('ChaosStarted', 1),
        ...rounds.flatMap((round) => [line('Injected', round), line('Reverted', round + 10)]),
        line('Verdict', 20),
      ],
    },
  });
}

/** Stores an ended run: its engine and its result. */
export async function storeRun(client: KubeClient, index: number): Promise<void> {
  const engine = engineOf(`run-${index}`);
  const spec = { ...engine.spec, experiments: [{ name: faultOf(index) }] };
  await storeEngine(client, namespaceOf(index), { ...engine, spec });
  await client.create(CHAOS_RESULTS, endedResult(index), { namespace: namespaceOf(index) });
}

/** Does something for each number from `from` up to, not including, `to`; several at a time. */
export async function forEach(
  from: number,
  to: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
