import { metaTime } from '../text/time.ts';

/**
 * Conditions: typed status lines as the API conventions of Kubernetes describe them, one per type.
 */
export interface Condition {
  /** CamelCase. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase cause, for programs. */
  readonly reason?: string;
  /** A sentence for people. */
  readonly message?: string;
  /** RFC 3339; when `status` last changed, not when the message did. */
  readonly lastTransitionTime?: string;
  /** `metadata.generation` of the object that was judged. */
  readonly observedGeneration?: number;
}

/** The fields that conditions of all kinds share. */
interface StatusLine {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The condition of this type, if any. */
export function findCondition<T extends StatusLine>(
  conditions: readonly T[] | null | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of this type is there and True. */
export function isConditionTrue(conditions: readonly StatusLine[] | null | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * Gives the list with this condition in it, in place of an older one of its type, a new one at the end. The older
 * `lastTransitionTime` stays while the status stays, so that it says since when. Pure.
 */
export function setCondition<T extends StatusLine>(
  conditions: readonly T[] | null | undefined,
  condition: T,
): T[] {
  const list = conditions ?? [];
  const before = findCondition(list, condition.type);
  if (before === undefined) return [...list, condition];
  const since = before.status === condition.status ? before.lastTransitionTime : undefined;
  const merged = since === undefined ? condition : { ...condition, lastTransitionTime: since };
  return list.map((item) => (item.type === condition.type ? merged : item));
}

/** As {@link setCondition}, for a condition that holds from now on. */
export function setConditionAt<T extends StatusLine>(
  conditions: readonly T[] | null | undefined,
  condition: T,
  nowMs: number,
): T[] {
  return setCondition(conditions, { ...condition, lastTransitionTime: metaTime(nowMs) });
}

/** The list without the condition of this type. */
export function withoutCondition<T extends StatusLine>(
  conditions: readonly T[] | null | undefined,
  type: string,
): T[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
