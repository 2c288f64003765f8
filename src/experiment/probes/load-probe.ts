/** loadProbe: sends requests at a rate as long as it runs, and judges what came of all of them. */

import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import type { Probe } from '../../api/schema/probe.ts';
import type { ProbeSummary } from '../../api/schema/result.ts';
import { errorCode, failureCode } from './codes.ts';
import { shownUrl } from './http-request.ts';
import { compileLoad } from './load/compile-load.ts';
import type { LoadPlan, SentRequest, UnsentRequests } from './load/load-plan.ts';
import { LoadTake } from './load/load-take.ts';
import { type Load, startLoad } from './load/sender.ts';
import { counted, isTooLittle, NOTHING_DUE, type SendingCounts, unsentWords } from './load/unsent.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import type { SeriesMeasurement } from './series/measurement.ts';
import { tlsOptions } from './tls-files.ts';

const KEY = 'loadProbe/inputs';
const TYPE = 'loadProbe';
/** A run of the probe is what ended in such a time, and at least one request; the load itself goes on from one run to the next. */
const RUN_MS = 250;
/** A run has no limit of its own: its requests have theirs, and it ends with the load. Chaos lasts no longer than this. */
const NO_LIMIT_MS = 7 * 24 * 3_600_000;
/** Up to this share of a time it may be the load's own process that took it; with more of it, the time says nothing of the server. */
const LEAST_LAG_MS = 50;
const LAG_SHARE = 0.1;

/** A load that has begun. */
interface Running {
  readonly plan: LoadPlan;
  readonly load: Load;
  readonly take: LoadTake;
  readonly unsent: UnsentLog;
}

/** Gives the type; see {@link ProbeKind}. */
export function createLoadProbe(): ProbeKind {
  const running = new Map<Probe, Promise<Running>>();
  return {
    isLasting: true,
    subject: (probe, render) => {
      const [first, ...others] = probe[KEY]?.requests ?? [];
      return `a load on ${render(first?.url ?? '')}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    },
    attemptLimitMs: () => NO_LIMIT_MS,
    prepare: async (probe) => async () => {
      await running.get(probe)?.then(
        ({ load }) => load.abort(),
        // It has not begun.
        () => undefined,
      );
    },
    measure: async (probe, context) => {
      const begun = running.get(probe) ?? begin(probe, context);
      running.set(probe, begun);
      try {
        return await measure(await begun, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        // The next run tries again, and not at once: runs of a load follow each other without a pause.
        running.delete(probe);
        await pause(context);
        throw error;
      }
    },
    conclude: async (probe, measurement, summary) => {
      const begun = await running.get(probe)?.catch(() => undefined);
      return begun === undefined ? measurement : concluded(begun, measurement, summary);
    },
  };
}

async function begin(probe: Probe, context: MeasureContext): Promise<Running> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const { verifyTls = true, tls } = await tlsOptions(inputs, context);
  const { clock, limits, render } = context;
  const plan = compileLoad(inputs, { timeoutMs: limits.timeoutMs, tls: { verifyTls, ...tls }, render });
  context.signal.throwIfAborted();
  const take = new LoadTake();
  const unsent = new UnsentLog();
  const load = startLoad(plan, {
    stamp: () => clock.now(),
    onRecord: (record) => {
      if (record.outcome === 'unsent') unsent.add(record);
      else take.add(record);
    },
  });
  return { plan, load, take, unsent };
}

async function measure({ plan, load, take }: Running, context: MeasureContext): Promise<Measurement> {
  const { signal, stopping } = context;
  await pause(context, take);
  signal.throwIfAborted();
  // What is under way is waited for: it was sent while the fault was in force.
  if (stopping?.aborted === true) await unlessAborted(load.stop(), signal);
  return { ...judged(take.take(), plan) };
}

/** Waits for the time of a run, and for one request that has ended, or until the probe ends. */
async function pause({ clock, signal, stopping }: MeasureContext, take?: LoadTake): Promise<void> {
  const ended = stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
  if (ended.aborted) return;
  try {
    await clock.sleep(RUN_MS, ended);
    if (take !== undefined) await unlessAborted(take.some, ended);
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

function judged(requests: readonly SentRequest[], { targets }: LoadPlan): Measurement {
  const series = requests.map(seriesMeasurement);
  const times = series.flatMap(({ latencyMs, ok }) => (ok && latencyMs !== undefined ? [latencyMs] : []));
  const slowest = Math.max(...times);
  const measured =
    times.length === 0 ? {} : { measured: { what: 'longest response time', value: slowest, unit: 'ms' } };
  const all = { series, ...measured };
  const wrong = requests.find(({ cannotWork }) => cannotWork === true);
  if (wrong !== undefined)
    return { outcome: 'error', code: errorCode(TYPE), reason: wrong.detail ?? '', ...all };
  const first = requests.find(({ outcome }) => outcome === 'failed');
  if (first !== undefined)
    return { outcome: 'failure', code: failureCode(TYPE), reason: first.detail ?? '', ...all };
  const urls = [...new Set(targets.map(({ url }) => shownUrl(url)))];
  const more = urls.length > 1 ? ` and ${urls.length - 1} more` : '';
  return { outcome: 'passed', description: `The load on ${urls[0]}${more} is answered as expected`, ...all };
}

function seriesMeasurement({ atMs, tookMs, lagMs, outcome, reason }: SentRequest): SeriesMeasurement {
  const ok = outcome === 'answered';
  const isKnown = lagMs <= Math.max(LEAST_LAG_MS, LAG_SHARE * tookMs);
  const hasTaken = ok || reason?.startsWith('no answer') === true;
  return {
    beganMs: atMs,
    // Moments of results are whole milliseconds.
    endedMs: Math.round(atMs + tookMs),
    ok,
    failure: reason,
    latencyMs: hasTaken && isKnown ? tookMs : undefined,
  };
}

/** What was not sent is no success: with too much of it nothing is known, and it is said in any case. */
function concluded({ plan, unsent }: Running, measurement: Measurement, summary: ProbeSummary): Measurement {
  const { injected, before, during, after } = summary;
  const isJudged = injected !== undefined;
  const sent = during.measurements + after.measurements + (isJudged ? 0 : before.measurements);
  const counts = { ...unsent.since(isJudged ? Date.parse(injected) : undefined), sent };
  const words = unsentWords(counts, plan.concurrency);
  if (words === undefined) return measurement;
  // A process that was late so often does not know either what the server did with the rest.
  const isBlind = isTooLittle({ ...counts, busy: 0 });
  if (isBlind || (measurement.outcome === 'passed' && isTooLittle(counts)))
    return { outcome: 'error', code: errorCode(TYPE), reason: `the load could not be evaluated: ${words}` };
  if (measurement.outcome === 'passed')
    return { ...measurement, description: `${measurement.description}; ${words}` };
  return { ...measurement, reason: `${measurement.reason}; ${words}` };
}

/** Those of the same cause that were due within this time are kept as one. */
const MERGED_MS = 1000;

/** When which requests were not sent: at most two entries for each second in which there were any. */
class UnsentLog {
  readonly #entries: UnsentRequests[] = [];

  add(unsent: UnsentRequests): void {
    const place = this.#entries.findLastIndex(({ why }) => why === unsent.why);
    const before = this.#entries[place];
    if (before === undefined || unsent.atMs - before.atMs >= MERGED_MS) {
      this.#entries.push(unsent);
      return;
    }
    const count = before.count + unsent.count;
    this.#entries[place] = { ...before, count, lateMs: Math.max(before.lateMs, unsent.lateMs) };
  }

  /** What was not sent since a time, as far as it was due by then; all without one. */
  since(fromMs = -Infinity): SendingCounts {
    return this.#entries.filter(({ atMs }) => atMs >= fromMs).reduce(counted, NOTHING_DUE);
  }
}
