import { parseDuration } from '@turnsole/kube/text/duration';
import type { NodeStatus } from '../../kinds/status.ts';
import type { RetryStrategy } from '../../kinds/template.ts';

type BackOff = NonNullable<RetryStrategy['backoff']>;

/** When the last attempt has to be over, by the start of the first; undefined without a limit. Milliseconds since 1970. */
export function lastAttemptEnd(
  { maxDuration = '' }: BackOff,
  first: NodeStatus | undefined,
): number | undefined {
  if (maxDuration === '' || first?.startedAt === undefined) return undefined;
  return Date.parse(first.startedAt) + durationMs(maxDuration);
}

/** When the attempt after the last one is due. Milliseconds since 1970. */
export function dueAt(backoff: BackOff, attempts: number, last: NodeStatus): number {
  const base = durationMs(backoff.duration ?? '0');
  const factor = Number(backoff.factor ?? 1);
  const cap =
    backoff.cap === undefined || backoff.cap === '' ? Number.POSITIVE_INFINITY : durationMs(backoff.cap);
  const wait = Math.min(base * factor ** (attempts - 1), cap);
  return Date.parse(last.finishedAt ?? last.startedAt ?? '') + wait;
}

/** A bare number is seconds. */
function durationMs(text: string): number {
  return /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
}
