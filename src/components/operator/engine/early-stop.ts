import { runnerPodName } from '../../../chaos/runner-name.ts';
import type { EngineAction } from './actions.ts';
import { monitorName, removeMonitor } from './monitor.ts';
import { type Child, type ObservedEngine } from './observed.ts';
import { planRecovery } from './recovery.ts';

/**
 * An engine is stopped as soon as nothing of it is in force or can come into force. Its experiments report that seconds before the
 * kubelet reports the end of their pods. The removal goes on, and the finalizer stays until it is done. Pure.
 *
 * @param removal what is still to do or to wait for until Jobs and pods are gone
 */
export function endEarly(observed: ObservedEngine, removal: readonly EngineAction[]): EngineAction[] {
  const { engine, isFresh, hasReceivedLastWord, children } = observed;
  if (engine.metadata.deletionTimestamp !== undefined) return [...removal];
  const isHarmless = harmless(observed);
  const isBegun = removal.every(({ type }) => type !== 'deleteChildren');
  if (isFresh && isBegun && isQuiet(observed)) {
    const ending = children.filter(({ ended }) => !ended).length;
    return [
      ...removeMonitor(observed),
      { type: 'finishAbort', deleted: false, left: [], ending },
      ...removal,
    ];
  }
  const haveAllReported =
    hasReceivedLastWord === true || children.every((child) => child.ended || isHarmless(child));
  if (!isFresh && isBegun && haveAllReported && mayBeQuiet(observed)) {
    return [{ type: 'confirm', why: 'nothing may be in force any more' }];
  }
  return [{ type: 'awaitLastWords' }, ...removal];
}

/** By the local copies: no Job that makes pods, no recovery, and no runner that starts anything. */
function mayBeQuiet({ engine, children, recoveries }: ObservedEngine): boolean {
  const { allStarted, runId } = engine.status ?? {};
  const runner = runnerPodName(engine.metadata.name);
  const hasStarter = children.some(({ name, ended }) => name === runner && !ended);
  const isRunnerDone = !hasStarter || (runId !== undefined && allStarted === runId);
  return recoveries === 0 && isRunnerDone && children.every(({ kind }) => kind === 'Pod');
}

/** Every pod that has not ended has let go, or never had anything: neither now nor later is anything in force. */
function isQuiet(observed: ObservedEngine): boolean {
  const { isUnderWay, left } = planRecovery(observed);
  const isHarmless = harmless(observed);
  return (
    mayBeQuiet(observed) &&
    !isUnderWay &&
    left.length === 0 &&
    observed.children.every((child) => child.ended || child.hasLetGo === true || isHarmless(child))
  );
}

/** Runner and monitor put nothing in force themselves. */
function harmless({ engine }: ObservedEngine): (child: Child) => boolean {
  const names = [runnerPodName(engine.metadata.name), monitorName(engine.metadata.name)];
  return ({ kind, name }) => kind === 'Pod' && names.includes(name);
}
