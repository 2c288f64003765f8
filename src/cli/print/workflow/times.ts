import { parseTime } from '@turnsole/kube/text/time';

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** `2d3h`, `4m20s`, `7s`: the two largest units of a time. Pure. */
export function shortDuration(milliseconds: number): string {
  let rest = Math.max(0, Math.floor(milliseconds / 1000));
  const at = UNITS.findIndex(([, seconds]) => rest >= seconds);
  if (at === -1) return '0s';
  const parts = UNITS.slice(at, at + 2).map(([name, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return count === 0 ? '' : `${count}${name}`;
  });
  return parts.join('');
}

/** How long something took, or has been going on until now; empty for what has not begun. Pure. */
export function durationOf(
  { startedAt, finishedAt }: { readonly startedAt?: string | null; readonly finishedAt?: string | null },
  nowMs: number,
): string {
  const started = parseTime(startedAt);
  return started === undefined ? '' : shortDuration((parseTime(finishedAt) ?? nowMs) - started);
}

/** How long ago something was. Pure. */
export function ageOf(time: string | undefined | null, nowMs: number): string {
  const ms = parseTime(time);
  return ms === undefined ? '' : shortDuration(nowMs - ms);
}
