import { formatTime } from './time.ts';

/** What all status conditions have in common. */
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** The condition of a type, of which a list has at most one. */
export function findCondition<T extends Condition>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of this type has status True. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The list with this condition set: a new `lastTransitionTime` only when the status changes (API conventions), and the
 * same list when nothing changes. Order is kept, a new condition goes to the end.
 */
export function withCondition<T extends Condition>(
  conditions: readonly T[] | undefined,
  condition: T,
  nowMs: number,
): T[] {
  const list = conditions ?? [];
  const present = findCondition(list, condition.type);
  const lastTransitionTime =
    present !== undefined && present.status === condition.status
      ? (present.lastTransitionTime ?? formatTime(nowMs))
      : formatTime(nowMs);
  const merged = { ...condition, lastTransitionTime };
  if (present === undefined) return [...list, merged];
  return list.map((item) => (item.type === condition.type ? merged : item));
}

/** The list without the condition of this type. */
export function withoutCondition<T extends Condition>(
  conditions: readonly T[] | undefined,
  type: string,
): T[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
