import type { Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../../api/index.ts';
import { askUntil } from '../../injection/ask-until.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import { followPods } from '../../targets/resolve-targets.ts';
import type { Run } from '../lifecycle/run.ts';
import { type FollowState, nextTargets } from './next-targets.ts';

/** The choice for one step of a run. */
interface StepInput {
  /** The targets that were chosen for it. */
  readonly chosen: readonly InjectionTarget[];
  /** Those of all steps, in their order. */
  readonly all: readonly InjectionTarget[];
  readonly step: number;
}

/**
 * The targets of a step, and those of later ones. In serial mode a chosen pod may have gone before its turn; with FOLLOW_WORKLOAD another
 * pod that has taken its place is hit instead. The same list where nothing is replaced: then the fault finds out.
 */
export async function stepTargets(
  run: Run,
  { chosen, all, step }: StepInput,
): Promise<{ readonly targets: readonly InjectionTarget[]; readonly later: readonly InjectionTarget[] }> {
  const isSerial = run.settings.sequence === 'serial';
  const later = isSerial ? all.slice(step + 1) : [];
  const [target] = chosen;
  const isHeldOnPod = run.fault.shape === 'sustained' && target?.kind === 'pod';
  if (!isSerial || step === 0 || target === undefined || !isHeldOnPod) return { targets: chosen, later };
  if (!run.settings.tunables.FOLLOW_WORKLOAD || (await isThere(run, target)))
    return { targets: chosen, later };
  const others = { left: uidsOf(later), earlier: run.force.podsBefore(step) };
  const replacement = await awaitReplacement(run, target, others);
  if (replacement === undefined) return { targets: chosen, later };
  run.force.followed(replacement, step);
  const message = `it is hit in the stead of ${objectOf(target)}, which was gone before its turn`;
  run.timeline.note({ step: 'TargetFollowed', object: objectOf(replacement), message });
  return { targets: [replacement], later };
}

async function isThere({ client, stop }: Run, { namespace, name, uid }: InjectionTarget): Promise<boolean> {
  const pod = await client.find<Pod>(PODS, name, { namespace, signal: stop });
  return pod !== undefined && pod.metadata.uid === uid && isActive(pod);
}

function uidsOf(targets: readonly InjectionTarget[]): ReadonlySet<string> {
  return new Set(targets.map(({ uid = '' }) => uid));
}

/** A running pod that is no target of a later step, nor of an earlier one where there are others; undefined when there is none in time. */
function awaitReplacement(
  run: Run,
  target: InjectionTarget,
  others: Pick<FollowState, 'left' | 'earlier'>,
): Promise<InjectionTarget | undefined> {
  const { client, clock, fault, settings, random, stop: signal } = run;
  const ask = async (): Promise<InjectionTarget | undefined> => {
    const { candidates } = await followPods({ client, fault, settings, clock, random, signal }, [target]);
    const bereft = new Set(target.owner?.uid === undefined ? [] : [target.owner.uid]);
    const [next] = nextTargets({ candidates, hit: new Set(), ...others, bereft, wanted: () => 1 });
    return next?.targets.find(({ container }) => container === target.container);
  };
  const bell = { client, resource: PODS, namespace: target.namespace ?? '' };
  return askUntil({ ask, timeoutMs: settings.statusCheckTimeoutMs, clock, signal, bell });
}
