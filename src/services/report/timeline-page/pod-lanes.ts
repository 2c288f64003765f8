import { POD_RESTARTED, POD_STEPS, type TimelineEntry } from '../../../api/timeline.ts';
import { msOf } from '../../../chaos/spans/steps.ts';
import type { Lane } from './lane.ts';

const STATES: ReadonlySet<string> = new Set(Object.values(POD_STEPS));
/** After these the pod is in no state any more. */
const OVER: readonly string[] = [POD_STEPS.gone, POD_STEPS.ended];

/** Whether a step is the state of a pod, which has a lane of its own. Pure. */
export function isPodStep(step: string): boolean {
  return STATES.has(step) || step === POD_RESTARTED;
}

/** A lane for each pod that was hit and seen, with its states from when it was chosen. Pure. */
export function podLanes(steps: readonly TimelineEntry[], endMs: number): Lane[] {
  const byPod = Map.groupBy(
    steps.filter(({ step, object }) => isPodStep(step) && object !== undefined),
    ({ object }) => object ?? '',
  );
  return [...byPod].map(([object, own]): Lane => {
    const states = own.filter(({ step }) => STATES.has(step));
    const bars = states.flatMap((entry, index) => {
      const next = states[index + 1];
      const toMs = next === undefined ? endMs : msOf(next);
      return OVER.includes(entry.step) ? [] : [barOf(entry, toMs)];
    });
    const marks = own
      .filter(({ step }) => OVER.includes(step) || step === POD_RESTARTED)
      .map((entry) => ({ kind: 'step' as const, atMs: msOf(entry), label: entry.message }));
    return { group: 'Pods', name: nameOf(object), bars, marks };
  });
}

function barOf(entry: TimelineEntry, toMs: number): Lane['bars'][number] {
  const kind = entry.step === POD_STEPS.ready ? 'life' : 'unready';
  return { kind, fromMs: msOf(entry), toMs, label: entry.message };
}

/** `pod/shop/web-1` as targets are called. */
function nameOf(object: string): string {
  const [kind, ...place] = object.split('/');
  return `${kind} ${place.join('/')}`;
}
