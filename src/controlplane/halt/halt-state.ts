import { isObject, parseObject } from '@turnsole/kube/text/json';
import type { ChaosHaltState } from '../schema/generated/types.ts';

/** An agent's report about a lever. */
interface LeverReport {
  readonly state: ChaosHaltState;
  readonly message: string;
  readonly reverted: readonly string[];
  readonly left: readonly string[];
}

/**
 * The state of a lever. Pure.
 *
 * @param outcome of the action; undefined until the agent reports it
 */
export function leverReport(
  hasLever: boolean,
  outcome: { readonly isDone: boolean; readonly message: string } | undefined,
): LeverReport {
  const nothing = { message: '', reverted: [], left: [] };
  if (!hasLever) return { state: 'WITHOUT_LEVER', ...nothing };
  if (outcome === undefined) return { state: 'WAITING', ...nothing };
  const { reverted, left } = parseObject(outcome.message) ?? {};
  if (!Array.isArray(left) || !Array.isArray(reverted)) {
    // A release, or an agent that failed.
    return outcome.isDone
      ? { state: 'DONE', ...nothing }
      : { state: 'REFUSED', ...nothing, message: outcome.message };
  }
  return {
    state: outcome.isDone ? 'DONE' : 'LEFT',
    message: '',
    reverted: texts(reverted),
    left: texts(left),
  };
}

function texts(list: readonly unknown[]): string[] {
  return list.map((item) => (isObject(item) ? JSON.stringify(item) : String(item)));
}
