import { CHAOS_RESULTS, type ChaosResult, type InjectionTarget, isOpen } from '../../../api/index.ts';
import { askUntil } from '../../injection/ask-until.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import type { Run } from '../lifecycle/run.ts';

/** Whether two targets are the same: a pod that was made anew under its name is another. Pure. */
export function isSameTarget(a: InjectionTarget, b: InjectionTarget): boolean {
  return a.name === b.name && a.namespace === b.namespace && a.container === b.container && a.uid === b.uid;
}

/**
 * Whether helpers have had all of their targets in a run, and have none any more, by the ledger. A target without an entry may still be
 * hit by a helper that starts. Pure.
 */
export function haveLetGo(
  result: ChaosResult | undefined,
  runId: string,
  targets: readonly InjectionTarget[],
): boolean {
  const own = ownEntries(result, runId);
  return (
    !own.some(isOpen) && targets.every((target) => own.some((entry) => isSameTarget(entry.target, target)))
  );
}

/**
 * Resolves to whether the ledger says that all is reverted: the helpers of targets write that a second or two before the kubelet
 * reports the end of their pods. False when that is not so in time, or cannot be known.
 */
export async function untilLetGo(
  { client, clock, settings, writer, fault }: Run,
  targets: readonly InjectionTarget[],
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<boolean> {
  // A helper that repeats an instantaneous fault has nothing to revert, and may be about to inject the next one.
  if (fault.shape !== 'sustained') return false;
  const { namespace, runId } = settings;
  const bell = { client, resource: CHAOS_RESULTS, namespace, fieldSelector: `metadata.name=${writer.name}` };
  const ask = async (): Promise<true | undefined> =>
    haveLetGo(await writer.read(signal), runId, targets) || undefined;
  try {
    return (await askUntil({ ask, timeoutMs, clock, signal, bell })) === true;
  } catch {
    return false;
  }
}
