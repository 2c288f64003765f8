import type { InjectionTarget, LedgerEntry, TimelineEntry } from '../../../api/index.ts';

/** `kind/namespace/name`, the form of the timeline. */
export function objectOf({ kind, namespace, name }: InjectionTarget): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** The same for sentences: `container c of pod shop/web`. */
export function nameOf({ kind, namespace, name, container }: InjectionTarget): string {
  const object = namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return container === undefined ? object : `container ${container} of ${object}`;
}

/** The timeline's words for an action on a target. */
type TargetStep = Readonly<Pick<TimelineEntry, 'step' | 'message'>> & { readonly object: string };

/** The step of an injection. Pure. */
export function injectedStep(fault: string, target: InjectionTarget): TargetStep {
  return { step: 'Injected', object: objectOf(target), message: `${fault} hit ${nameOf(target)}` };
}

/** The step of a revert. Pure. */
export function revertedStep(fault: string, target: InjectionTarget): TargetStep {
  return { step: 'Reverted', object: objectOf(target), message: `${fault} reverted on ${nameOf(target)}` };
}

/**
 * The steps that the ledger knows of and the timeline does not: helpers report theirs in their logs, which end when an
 * abort ends the pod, and may be unreadable. With their times in the ledger, in the order of these. Pure.
 *
 * @param timeline steps of the same run
 */
export function missingSteps(
  entries: readonly LedgerEntry[],
  timeline: readonly TimelineEntry[],
): (TargetStep & { readonly time: string })[] {
  const keyOf = ({ step, message }: Pick<TimelineEntry, 'step' | 'message'>): string => `${step} ${message}`;
  const written = Map.groupBy(timeline, keyOf);
  const known = Map.groupBy(entries.flatMap(stepsOf), keyOf);
  return [...known]
    .flatMap(([key, steps]) => unwritten(steps, written.get(key) ?? []))
    .sort((a, b) => a.time.localeCompare(b.time));
}

type TimedStep = TargetStep & { readonly time: string };

function stepsOf({ fault, target, injectedAt, revertedAt }: LedgerEntry): TimedStep[] {
  return [
    ...(injectedAt === undefined ? [] : [{ ...injectedStep(fault, target), time: injectedAt }]),
    ...(revertedAt === undefined ? [] : [{ ...revertedStep(fault, target), time: revertedAt }]),
  ];
}

/** Of steps that read alike (rounds), those that remain when each line has taken the one next to it in time. */
function unwritten(steps: readonly TimedStep[], lines: readonly TimelineEntry[]): TimedStep[] {
  const left = [...steps];
  for (const line of lines) {
    const distances = left.map(({ time }) => Math.abs(Date.parse(time) - Date.parse(line.time)));
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest >= 0) left.splice(nearest, 1);
  }
  return left;
}
