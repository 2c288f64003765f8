import type { ChaosData } from './run-event.ts';

/** Facts about the pods and the object of an engine, which go with the engine. */
const OF_ENGINE = [
  ...(['engineUID', 'engineContext', 'experimentName', 'faultName', 'experimentPod', 'runnerPod'] as const),
  ...(['lastUpdatedAt', 'failStep'] as const),
] satisfies (keyof ChaosData)[];

/** Facts that come from a result. */
const OF_RESULT = [
  ...(['chaosResult', 'probeSuccessPercentage', 'experimentStatus', 'faultStatus'] as const),
  ...(['experimentVerdict', 'faultVerdict'] as const),
] satisfies (keyof ChaosData)[];

/**
 * Present facts about an engine, completed by those of an earlier report: cleanup steps delete engines, and people delete results, before the
 * run ends. A later state of a run never knows less than an earlier one. Pure.
 */
export function withEarlier(now: ChaosData, before: ChaosData | undefined): ChaosData {
  if (before === undefined || !isSameEngine(now, before)) return now;
  const filled = OF_ENGINE.flatMap((key) =>
    now[key] === '' && before[key] !== '' ? [[key, before[key]]] : [],
  );
  const isResultGone = now.chaosResult === null && before.chaosResult !== null;
  const kept = isResultGone ? OF_RESULT.map((key) => [key, before[key]]) : [];
  return { ...now, ...Object.fromEntries([...filled, ...kept]) } as ChaosData;
}

/** Names are used again: two engines with different uids are two engines. */
function isSameEngine(now: ChaosData, before: ChaosData): boolean {
  if (now.engineName !== before.engineName || now.namespace !== before.namespace) return false;
  return now.engineUID === '' || before.engineUID === '' || now.engineUID === before.engineUID;
}
