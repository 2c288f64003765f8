import { humanTime } from '@turnsole/kube/text/human-time';
import type { Span } from '../../chaos/force-windows.ts';
import type { RunTimes } from './background.ts';

/** When the fault was in force, in milliseconds since 1970, by the clock of the experiment. */
interface ChaosWindow {
  /** The first injection was in force. */
  readonly sinceMs: number;
  /** The last revert began; undefined while the fault is in force. */
  readonly untilMs: number | undefined;
  /** In between, when it was in force on at least one target; undefined where that is not known: all the time. */
  readonly spans?: readonly Span[];
}

/**
 * The end of the fault, of which the experiment learns now. A node may have reported the time; its clock counts only as far as it
 * makes the time in force shorter, for a probe that measured later has not measured the fault. Pure.
 *
 * @param nodeMs the time by the clock of the node
 */
function endOfForce(sinceMs: number, nowMs: number, nodeMs: number | undefined): number {
  return nodeMs !== undefined && nodeMs >= sinceMs && nodeMs <= nowMs ? nodeMs : nowMs;
}

/** The runs that began and ended while the fault was in force. Pure. */
function runsInForce(runs: readonly RunTimes[], window: ChaosWindow | undefined): readonly RunTimes[] {
  if (window === undefined) return [];
  const { sinceMs, untilMs = Infinity, spans = [{ fromMs: sinceMs, toMs: untilMs }] } = window;
  return runs.filter(
    ({ beganMs, endedMs }) =>
      beganMs >= sinceMs &&
      endedMs <= untilMs &&
      spans.some(({ fromMs, toMs }) => beganMs >= fromMs && endedMs <= toMs),
  );
}

/** No run was under way then, and the fault was in force. */
type Stretch = Span;

/** An outage shorter than that is not what a verdict hangs on. */
const LEAST_MISSED_MS = 1000;

/** How much of the fault a probe may leave unmeasured. */
interface Unmeasurable {
  /** How long the user has it pause: the longer of probePollingInterval and initialDelay. */
  readonly pauseMs: number;
  /** `spec.minimumCoverage`, in percent. */
  readonly minimumCoverage: number;
}

/**
 * The longest stretch in force that a probe has not measured although it should have: longer than its pause by a second, and by what
 * minimumCoverage leaves of the time in force. An outage in it would not have been seen. Undefined: there is none. Pure.
 */
function missedStretch(
  runs: readonly RunTimes[],
  window: ChaosWindow | undefined,
  { pauseMs, minimumCoverage }: Unmeasurable,
): Stretch | undefined {
  const spans = spansOf(window);
  const inForceMs = spans.reduce((sum, span) => sum + lengthOf(span), 0);
  const mostMs = pauseMs + Math.max(LEAST_MISSED_MS, (inForceMs * (100 - minimumCoverage)) / 100);
  const gaps = spans.flatMap((span) => gapsOf(runs, span));
  const longest = gaps.reduce<Stretch | undefined>(
    (most, gap) => (most === undefined || lengthOf(gap) > lengthOf(most) ? gap : most),
    undefined,
  );
  return longest !== undefined && lengthOf(longest) > mostMs ? longest : undefined;
}

/** The stretches of a span in which no run was under way; the runs are in the order of their begins. */
function gapsOf(runs: readonly RunTimes[], { fromMs, toMs }: Span): Stretch[] {
  let measuredUntilMs = fromMs;
  const gaps: Stretch[] = [];
  for (const { beganMs, endedMs } of [...runs, { beganMs: toMs, endedMs: toMs }]) {
    gaps.push({ fromMs: measuredUntilMs, toMs: Math.min(beganMs, toMs) });
    measuredUntilMs = Math.max(measuredUntilMs, endedMs);
  }
  return gaps;
}

function spansOf(window: ChaosWindow | undefined): readonly Span[] {
  if (window === undefined) return [];
  const { sinceMs, untilMs = sinceMs, spans = [{ fromMs: sinceMs, toMs: untilMs }] } = window;
  return spans;
}

function lengthOf({ fromMs, toMs }: Span): number {
  return toMs - fromMs;
}

/** Says what a probe that measured the fault has not seen of it. Pure. */
function describeMissed(stretch: Stretch): string {
  const { fromMs, toMs } = stretch;
  return (
    `The probe did not measure for ${humanTime(lengthOf(stretch))} while the fault was in force, from ${time(fromMs)} to ${time(toMs)}: ` +
    'its machine was too busy for it, and an outage in that time would not have been seen; run on a machine that is less busy, or lower ' +
    'spec.minimumCoverage'
  );
}

/** Most times in force that a description lists. */
const MOST_SPANS = 3;

/** Says that a probe has not measured while the fault was in force, and what to do. Pure. */
function describeUnmeasured(
  runs: readonly RunTimes[],
  window: ChaosWindow | undefined,
  initialDelayMs: number,
): string {
  const head = 'The probe did not measure while the fault was in force';
  if (window === undefined) return `${head}: the fault was never in force`;
  const spans = spansOf(window);
  const times = spans.map(({ fromMs, toMs }) => `from ${time(fromMs)} to ${time(toMs)}`);
  const place = `${head}, ${times.slice(0, MOST_SPANS).join(', ')}${times.length > MOST_SPANS ? ' and so on' : ''}`;
  const last = runs.at(-1);
  if (last !== undefined) {
    const what = `its last run began at ${time(last.beganMs)} and ended at ${time(last.endedMs)}`;
    return `${place}: ${what}; raise TOTAL_CHAOS_DURATION, or lower the time that a run of the probe takes`;
  }
  const why =
    initialDelayMs > 0 ? `its initialDelay of ${initialDelayMs / 1000} s was not over` : 'it never ran';
  return `${place}: ${why}; raise TOTAL_CHAOS_DURATION${initialDelayMs > 0 ? ', or lower initialDelay' : ''}`;
}

/** Says how much a probe has measured of the fault, for the timeline. Pure. */
function describeMeasured(runs: readonly RunTimes[], window: ChaosWindow | undefined): string {
  const within = runsInForce(runs, window);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined) return 'measured nothing while the fault was in force';
  const times = within.length === 1 ? 'once' : `${within.length} times`;
  return `measured ${times} while the fault was in force, from ${time(first.beganMs)} to ${time(last.endedMs)}`;
}

/** Description of a background probe of a dry run that found nothing wrong. */
export const NOTHING_INJECTED =
  'The probe did not measure while the fault was in force: it was a dry run, nothing was injected';

/** When the fault of a run was in force, and the runs of its background probes since then. */
export class ForceRecord {
  readonly #runs = new Map<number, RunTimes[]>();
  #window: ChaosWindow | undefined;

  /** Undefined while nothing is in force yet. */
  get sinceMs(): number | undefined {
    return this.#window?.sinceMs;
  }

  /** Undefined until the last revert begins. */
  get untilMs(): number | undefined {
    return this.#window?.untilMs;
  }

  /** The first injection is in force; false when that was known. */
  began(nowMs: number): boolean {
    if (this.#window !== undefined) return false;
    this.#window = { sinceMs: nowMs, untilMs: undefined };
    return true;
  }

  /** The last revert begins; false when that was known, or nothing was in force. */
  ended(nowMs: number, nodeMs: number | undefined): boolean {
    const { sinceMs, untilMs } = this.#window ?? {};
    if (sinceMs === undefined || untilMs !== undefined) return false;
    this.#window = { sinceMs, untilMs: endOfForce(sinceMs, nowMs, nodeMs) };
    return true;
  }

  /** In between the fault was in force on a target in these times only. */
  measuredIn(spans: readonly Span[]): void {
    // Without any, what is known is too little to deny that it was.
    if (this.#window !== undefined && spans.length > 0) this.#window = { ...this.#window, spans };
  }

  /** A run of the probe at this place of the list. */
  add(index: number, times: RunTimes): void {
    if (this.#window === undefined) return;
    const runs = this.#runs.get(index);
    if (runs === undefined) this.#runs.set(index, [times]);
    else runs.push(times);
  }

  /** Whether a run of the probe began and ended while the fault was in force. */
  hasMeasured(index: number): boolean {
    return runsInForce(this.#runsOf(index), this.#window).length > 0;
  }

  /** Says what a probe that measured has not seen of the fault; undefined when it has seen enough. */
  describeMissed(index: number, unmeasurable: Unmeasurable): string | undefined {
    const stretch = missedStretch(this.#runsOf(index), this.#window, unmeasurable);
    return stretch === undefined ? undefined : describeMissed(stretch);
  }

  describeMeasured(index: number): string {
    return describeMeasured(this.#runsOf(index), this.#window);
  }

  /** @param overload what kept the machine from keeping up */
  describeUnmeasured(index: number, initialDelayMs: number, overload?: string): string {
    const said = describeUnmeasured(this.#runsOf(index), this.#window, initialDelayMs);
    return overload === undefined ? said : `${said}, or run on a machine that is less busy: ${overload}`;
  }

  #runsOf(index: number): readonly RunTimes[] {
    return this.#runs.get(index) ?? [];
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
