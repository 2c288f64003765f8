import { type ChaosTarget, TARGET_STATUSES, type TargetStatus } from '../../api/index.ts';

/** A target as history.targets names it. */
export interface TargetName {
  readonly kind: string;
  readonly name: string;
}

/** Key of the annotation a running experiment leaves for a target, so that an abort by others can record it too. */
export function targetAnnotation({ kind, name }: TargetName): string {
  return `${kind}/${name}`;
}

/** The annotations that speak of targets, as entries of history.targets; all other annotations are left alone. */
export function targetsOfAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): ChaosTarget[] {
  return Object.entries(annotations ?? {}).flatMap(([key, status]) => {
    const slash = key.indexOf('/');
    if (slash <= 0 || !isTargetStatus(status)) return [];
    return [{ kind: key.slice(0, slash), name: key.slice(slash + 1), chaosStatus: status }];
  });
}

function isTargetStatus(word: string): word is TargetStatus {
  return (TARGET_STATUSES as readonly string[]).includes(word);
}

/** Both lists as one: entries of the same kind and name once, with the later status. */
export function mergeTargets(earlier: readonly ChaosTarget[], later: readonly ChaosTarget[]): ChaosTarget[] {
  const merged = new Map<string, ChaosTarget>();
  for (const target of [...earlier, ...later]) merged.set(targetAnnotation(target), target);
  return [...merged.values()];
}
