import { isObject, parseObject } from '@turnsole/kube/text/json';
import type { RunRow } from '../store/tables/runs.ts';

/** Start and end of a run, from its agent's last report, in whole seconds, or else from the server's own times. Pure. */
export function runTimes(
  { created_at, updated_at, completed }: Pick<RunRow, 'created_at' | 'updated_at' | 'completed'>,
  executionText: string,
): { readonly startMs: number; readonly endMs: number | undefined } {
  const account = parseObject(executionText) ?? {};
  const nodes = isObject(account.nodes) ? Object.values(account.nodes).filter(isObject) : [];
  const all = [account, ...nodes];
  const starts = all.map(({ startedAt }) => secondsOf(startedAt)).filter((time) => time !== undefined);
  const ends = all.map(({ finishedAt }) => secondsOf(finishedAt)).filter((time) => time !== undefined);
  const startMs = starts.reduce((least, time) => Math.min(least, time), starts[0] ?? created_at);
  if (completed !== 1) return { startMs, endMs: undefined };
  // For the server a stopped run is over before its agent has reverted it and reported that.
  const endMs = ends.reduce((most, time) => Math.max(most, time), ends[0] ?? updated_at);
  return {
    startMs,
    endMs: Math.max(startMs, secondsOf(account.finishedAt) === undefined ? updated_at : endMs),
  };
}

/** Unix seconds as text, as agents write them. */
function secondsOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^[1-9]\d{0,10}$/.test(value) ? Number(value) * 1000 : undefined;
}
