import { type ChaosTarget, TARGET_STATUSES, type TargetStatus } from '../api/index.ts';

/** A target as history.targets names it. */
interface TargetName {
  readonly kind: string;
  readonly name: string;
}

/** Key of the annotation a running experiment leaves for a target, so that an abort by others can record it too. */
export function targetAnnotation({ kind, name }: TargetName): string {
  return `${kind}/${name}`;
}

/** The annotations about targets, as entries of history.targets; ignores all other annotations. */
export function targetsOfAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): ChaosTarget[] {
  return Object.entries(annotations ?? {}).flatMap(([key, status]) => {
    if (!isOfTarget(key, status) || !isTargetStatus(status)) return [];
    const slash = key.indexOf('/');
    // Upstream's experiments write blanks around the slash.
    return [{ kind: key.slice(0, slash).trim(), name: key.slice(slash + 1).trim(), chaosStatus: status }];
  });
}

/** A merge patch that removes the annotations about targets. */
export function withoutTargets(
  annotations: Readonly<Record<string, string>> | undefined,
): Record<string, null> {
  const ofTargets = Object.entries(annotations ?? {}).filter(([key, status]) => isOfTarget(key, status));
  return Object.fromEntries(ofTargets.map(([key]) => [key, null]));
}

function isOfTarget(key: string, status: string): boolean {
  return key.indexOf('/') > 0 && isTargetStatus(status);
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
