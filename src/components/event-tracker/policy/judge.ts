import type { EventTrackerPolicySpec } from '../../../api/index.ts';
import { passes } from './compare.ts';

/** The value of a condition's key. */
interface JudgedValue {
  /** Undefined: it could not be evaluated; then the condition does not pass. */
  readonly value: unknown;
  /** Whether it differs from the one before. */
  readonly hasChanged: boolean;
}

/**
 * The conditions that make a change of a workload a trigger; undefined when it is none. A change in which no value has changed is none.
 * Pure.
 *
 * - `or`: at least one condition whose value has changed passes.
 * - `and`: all conditions pass, whether their value has changed or not; `Change` passes where it has.
 * - `and` of upstream: all conditions whose value has changed pass; the others do not count.
 */
export function judge(
  { condition_type, conditions, semantics }: EventTrackerPolicySpec,
  values: readonly JudgedValue[],
): string | undefined {
  const judged = conditions.map(({ key, operator, value = '' }, index) => {
    const { value: found, hasChanged = false } = values[index] ?? {};
    const isPassed =
      operator === 'Change' ? hasChanged : found !== undefined && passes(operator, found, value);
    return {
      text: operator === 'Change' ? `${key} Change` : `${key} ${operator} ${value}`,
      isPassed,
      hasChanged,
    };
  });
  const changed = judged.filter(({ hasChanged }) => hasChanged);
  if (changed.length === 0) return undefined;
  if (condition_type === 'or') return reasonOf(changed.filter(({ isPassed }) => isPassed));
  const counted = semantics === 'upstream' ? changed : judged;
  return counted.every(({ isPassed }) => isPassed) ? reasonOf(counted) : undefined;
}

/** Reasons are for people, in a status. */
const MAX_REASON_CHARACTERS = 300;

function reasonOf(judged: readonly { readonly text: string }[]): string | undefined {
  if (judged.length === 0) return undefined;
  const text = judged.map((one) => one.text).join('; ');
  return text.length > MAX_REASON_CHARACTERS ? `${text.slice(0, MAX_REASON_CHARACTERS)}…` : text;
}
