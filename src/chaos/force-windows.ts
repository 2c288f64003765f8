/** The times in which injections were in force, as the ledger keeps them. */
import type { ForceEnd, ForceWindow, LedgerEntry } from '../api/ledger.ts';

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** With a window that begins now, unless one lasts already. Pure. */
export function opened(windows: readonly ForceWindow[] | undefined, atMs: number): readonly ForceWindow[] {
  const last = windows?.at(-1);
  if (windows !== undefined && last !== undefined && last.to === undefined) return windows;
  return [...(windows ?? []), { from: timeOf(atMs) }];
}

/**
 * With the end of the window that lasts. One that has ended keeps its time, but learns a reason that is closer to the cause: of a process
 * that has ended it shows only later that its container restarted, or that its pod was gone. Pure.
 */
export function closed(
  windows: readonly ForceWindow[] | undefined,
  atMs: number,
  why: ForceEnd,
): readonly ForceWindow[] | undefined {
  const last = windows?.at(-1);
  if (windows === undefined || last === undefined) return windows;
  if (last.to === undefined) return [...windows.slice(0, -1), ended(last, atMs, why)];
  const isCloser = last.ended === 'ProcessEnded' && (why === 'ContainerRestarted' || why === 'PodGone');
  return isCloser ? [...windows.slice(0, -1), { ...last, ended: why }] : windows;
}

/** With everything at and after a time cut off: the injection cannot have been in force then. Pure. */
export function cut(
  windows: readonly ForceWindow[] | undefined,
  atMs: number,
  why: ForceEnd,
): readonly ForceWindow[] | undefined {
  if (windows === undefined) return undefined;
  const kept = windows.filter(({ from }, index) => index === 0 || Date.parse(from) < atMs);
  const last = kept.at(-1);
  if (last === undefined) return kept;
  const isLater = last.to === undefined || Date.parse(last.to) > atMs;
  return isLater ? [...kept.slice(0, -1), ended(last, atMs, why)] : closed(kept, atMs, why);
}

/** Without a span of time in which the injection was not in force, as is known only after it. Pure. */
export function interrupted(
  windows: readonly ForceWindow[] | undefined,
  { fromMs, toMs }: Span,
  why: ForceEnd,
): readonly ForceWindow[] | undefined {
  return windows?.flatMap((window) => {
    const [beganMs, endedMs] = [
      Date.parse(window.from),
      window.to === undefined ? Infinity : Date.parse(window.to),
    ];
    if (endedMs <= fromMs || beganMs >= toMs) return [window];
    const before = beganMs < fromMs ? [ended(window, fromMs, why)] : [];
    return [...before, ...(endedMs > toMs ? [{ ...window, from: timeOf(toMs) }] : [])];
  });
}

/**
 * With the end of the window that lasts, where its helper is lost and was last known to be at work at that time. A window that the helper
 * has ended itself stays as it is. Pure.
 */
export function abandoned(
  windows: readonly ForceWindow[] | undefined,
  atMs: number,
): readonly ForceWindow[] | undefined {
  const last = windows?.at(-1);
  return last === undefined || last.to !== undefined ? windows : cut(windows, atMs, 'HelperLost');
}

/**
 * When an injection was in force. Entries of a release that kept no windows have that from injection to revert. Pure.
 *
 * @param nowMs the end of what still lasts
 */
export function spansOf(entry: LedgerEntry, nowMs: number): readonly Span[] {
  const { inForce, injectedAt, revertedAt } = entry;
  const windows: readonly ForceWindow[] =
    inForce ??
    (injectedAt === undefined
      ? []
      : [{ from: injectedAt, ...(revertedAt === undefined ? {} : { to: revertedAt }) }]);
  return windows
    .map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: to === undefined ? nowMs : Date.parse(to) }))
    .filter(({ fromMs, toMs }) => toMs > fromMs);
}

/** The times in which at least one of these lasted, in order, and apart. Pure. */
export function unionOf(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].sort((a, b) => a.fromMs - b.fromMs);
  const union: Span[] = [];
  for (const span of sorted) {
    const last = union.at(-1);
    if (last === undefined || span.fromMs > last.toMs) union.push(span);
    else if (span.toMs > last.toMs) union[union.length - 1] = { ...last, toMs: span.toMs };
  }
  return union;
}

/** How long so and so many lasted, each moment counted by how many did, but no more than `most`: milliseconds times targets. Pure. */
export function sumOf(spans: readonly Span[], most: number): number {
  const changes = spans
    .flatMap(({ fromMs, toMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: toMs, by: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  let sum = 0;
  let count = 0;
  let sinceMs = 0;
  for (const { atMs, by } of changes) {
    sum += Math.min(count, most) * (atMs - sinceMs);
    count += by;
    sinceMs = atMs;
  }
  return sum;
}

function ended(window: ForceWindow, atMs: number, why: ForceEnd): ForceWindow {
  return { from: window.from, to: timeOf(Math.max(atMs, Date.parse(window.from))), ended: why };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
