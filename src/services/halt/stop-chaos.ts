import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type ChaosResult,
  isOpen,
  LABEL_CHAOS_UID,
} from '../../api/index.ts';
import { describeLeft } from '../../chaos/recovery/decide-recovery.ts';
import { recoverResult } from '../../engines/recover-result.ts';
import { deleteOne, patchSpec } from '../objects.ts';
import type { Scope } from './lever.ts';
import { type Chaos, keyOf, observeChaos, running } from './observe-chaos.ts';
import { operatorState } from './operator-state.ts';

/** What stopping needs. */
export interface StopChaosOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly scope: Scope;
  readonly timeoutMs: number;
  /** False where it is known that no operator closes the engines once all is reverted. @default found out when one takes long */
  readonly operatorIsReady?: boolean;
  /** How long pods and operators have to revert by themselves, before pods are deleted and results recovered from here. @default 5_000 */
  readonly patienceMs?: number;
  readonly signal: AbortSignal;
  /** Receives lines of progress. */
  readonly say: (line: string) => void;
}

/** Between two looks: each takes three lists of the present chaos. */
const LOOK_EVERY_MS = 300;
/** Pods that are still at work after this time have no operator that ends them, and do not see their engine. */
const PATIENCE_MS = 5_000;
/** An operator that is at work has closed its engines long before, unless a kubelet is slow; then it is looked for again and again. */
const OPERATOR_MS = 15_000;

/**
 * Stops every run and waits until all of it is reverted; also where no operator runs: experiments obey their engine's state, pods
 * that do not are deleted, and this process recovers what dead ones left.
 *
 * @returns what is left, in words; empty when nothing is
 */
export async function stopChaos(options: StopChaosOptions): Promise<readonly string[]> {
  const { client, clock, scope, signal, say, timeoutMs } = options;
  const { operatorIsReady = true, patienceMs = PATIENCE_MS } = options;
  const startedMs = clock.monotonic();
  let lastLine = '';
  let operatorDueMs = OPERATOR_MS;
  let hasDeleted = false;
  /** Results that a recovery from here has given up: another one would meet the same. */
  const givenUp = new Set<string>();
  for (;;) {
    const chaos = await observeChaos(client, scope, signal);
    await stopEngines(options, chaos);
    const engines = running(chaos.engines);
    const { pods, results } = chaos;
    const elapsedMs = clock.monotonic() - startedMs;
    const line = `${engines.length} run(s) to end, ${pods.length} pod(s) at work, ${results.length} result(s) with something in force`;
    if (line !== lastLine) say(line);
    lastLine = line;
    const isReverted = pods.length === 0 && results.length === 0;
    if (isReverted && engines.length === 0) return [];
    if (isReverted && (elapsedMs >= Math.min(operatorDueMs, timeoutMs) || !operatorIsReady)) {
      const unclosed = await unclosedText(options, engines, elapsedMs);
      if (unclosed !== undefined) {
        say(unclosed);
        return [];
      }
      operatorDueMs = elapsedMs + OPERATOR_MS;
    }
    if (elapsedMs >= timeoutMs) return describe(chaos);
    if (pods.length > 0 && elapsedMs >= patienceMs && !hasDeleted) {
      hasDeleted = true;
      await deletePods(options, chaos);
    }
    if (pods.length === 0 && results.length > 0 && elapsedMs >= patienceMs) {
      const left = results.filter((result) => !givenUp.has(keyOf(result)));
      if (left.length === 0 && engines.length === 0) return describe(chaos);
      for (const key of await recoverAll(options, left)) givenUp.add(key);
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** Why engines whose chaos is reverted are waited for no longer; undefined while an operator is at work that closes them. */
async function unclosedText(
  { client, clock, signal, timeoutMs, operatorIsReady = true }: StopChaosOptions,
  engines: readonly ChaosEngine[],
  elapsedMs: number,
): Promise<string | undefined> {
  const names = engines.map(keyOf).join(', ');
  const reverted = 'all of it is reverted';
  if (!operatorIsReady) return `no operator closes ${names}; ${reverted}`;
  const namespaces = [...new Set(engines.map(({ metadata }) => metadata.namespace ?? ''))];
  const states = await Promise.all(
    namespaces.map((namespace) => operatorState(client, namespace, clock.now(), signal)),
  );
  if (states.includes('none')) return `no operator closes ${names}; ${reverted}`;
  const late = `${names} not closed after ${Math.round(elapsedMs / 1000)} s; ${reverted}`;
  if (states.includes('unknown')) return `${late}; whether an operator runs may not be looked at`;
  return elapsedMs >= timeoutMs ? `${late}, and the operator is still at work` : undefined;
}

/** Engines that have begun: those that have not are left as they are, and begin when the lever is released. */
async function stopEngines({ client, say, signal }: StopChaosOptions, { engines }: Chaos): Promise<void> {
  const active = running(engines).filter(({ spec }) => spec.engineState !== 'stop');
  const areThere = await allInOrder(
    active.map((engine) => patchSpec(client, CHAOS_ENGINES, engine, { engineState: 'stop' }, signal)),
  );
  for (const [index, engine] of active.entries()) if (areThere[index]) say(`stopping ${keyOf(engine)}`);
}

async function deletePods({ client, say, signal }: StopChaosOptions, { pods }: Chaos): Promise<void> {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const areThere = await allInOrder(staying.map((pod) => deleteOne(client, PODS, pod, signal)));
  for (const [index, pod] of staying.entries()) {
    const cause = pod.metadata.labels?.[LABEL_CHAOS_UID] ?? 'chaos';
    if (areThere[index]) say(`deleting pod ${keyOf(pod)} of ${cause}`);
  }
}

/** Gives those that were given up. */
async function recoverAll(
  { client, clock, signal, say }: StopChaosOptions,
  results: readonly ChaosResult[],
): Promise<string[]> {
  const outcomes = await Promise.all(
    results.map(async (result) => {
      const onStart = (job: string): void => say(`Job ${job} reverts what ${keyOf(result)} left`);
      const { left, reason } = await recoverResult(result, { client, clock, signal, onStart, afresh: true });
      if (left.length === 0) return [];
      say(`not reverted (${reason}): ${left.join(', ')}`);
      return [keyOf(result)];
    }),
  );
  return outcomes.flat();
}

function describe({ engines, pods, results }: Chaos): string[] {
  return [
    ...running(engines).map((engine) => `run of ChaosEngine ${keyOf(engine)}`),
    ...pods.map((pod) => `pod ${keyOf(pod)}`),
    ...results.flatMap(({ status }) =>
      Object.values(status?.ledger ?? {})
        .filter(isOpen)
        .map(describeLeft),
    ),
  ];
}
