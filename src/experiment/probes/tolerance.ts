import { humanTime } from '@turnsole/kube/text/human-time';
import type { ProbeSummary } from '../../api/schema/result.ts';
import type { CompiledTolerance } from '../../api/validation/probe-tolerance.ts';

/** How a probe with a tolerance is judged. */
interface ToleranceJudgement {
  /** `unknown`: too little was measured to say it, which is no pass. */
  readonly outcome: 'passed' | 'failure' | 'unknown';
  /** What was found for the limits that decide. */
  readonly reason: string;
}

type Percentile = 'p50' | 'p95' | 'p99' | 'max';

/** As few measurements as can tell a percentile from the maximum. */
const LEAST_LATENCIES: Readonly<Record<Percentile, number>> = { p50: 2, p95: 20, p99: 100, max: 1 };

/**
 * Judges what a probe measured by the limits of its tolerance. Each limit is exceeded, held, or unknown:
 *
 * | limit | exceeded | unknown |
 * | --- | --- | --- |
 * | `failed` | a larger share failed, of the measurements during the fault, or of those during and after it | fewer measurements during the fault than one of which would be the share |
 * | `outage` | the longest outage is longer, also one that is not over | for longer than the limit no measurement was under way |
 * | `p50`, `p95`, `p99`, `max` | the latency during the fault is higher | there are fewer latencies than tell it from the maximum |
 *
 * One that is exceeded fails the probe, else one that is unknown leaves it without a verdict. Pure.
 */
export function judgeTolerance(tolerance: CompiledTolerance, summary: ProbeSummary): ToleranceJudgement {
  const { failedShare, outageMs, latenciesMs } = tolerance;
  const limits: ToleranceJudgement[] = [
    ...(failedShare === undefined ? [] : [judgeFailed(failedShare, summary)]),
    ...(outageMs === undefined ? [] : [judgeOutage(outageMs, summary)]),
    ...PERCENTILES.flatMap((name) => {
      const limitMs = latenciesMs[name];
      return limitMs === undefined ? [] : [judgeLatency(name, limitMs, summary)];
    }),
  ];
  const outcome = OUTCOMES.find((one) => limits.some((limit) => limit.outcome === one)) ?? 'passed';
  const deciding = limits.filter((limit) => limit.outcome === outcome);
  return { outcome, reason: deciding.map(({ reason }) => reason).join('; ') };
}

/**
 * Whether what failed before the fault is within the tolerance, so that the fault may be injected although the latest measurement failed.
 *
 * @param failingMs for how long it has failed without a success
 */
export function toleratesBefore(
  { failedShare, outageMs }: CompiledTolerance,
  { before }: Pick<ProbeSummary, 'before'>,
  failingMs: number,
): boolean {
  const isShareHeld = failedShare === undefined || share(before.failed, before.measurements) <= failedShare;
  return isShareHeld && (outageMs === undefined || failingMs <= outageMs);
}

const PERCENTILES = ['p50', 'p95', 'p99', 'max'] as const;
/** The gravest first. */
const OUTCOMES = ['failure', 'unknown', 'passed'] as const;

function judgeFailed(limit: number, { during, after }: ProbeSummary): ToleranceJudgement {
  const all = during.measurements + after.measurements;
  const failed = during.failed + after.failed;
  // What is measured for long after the fault must not thin out what the fault has done.
  const found = Math.max(share(during.failed, during.measurements), share(failed, all));
  if (found > limit)
    return { outcome: 'failure', reason: `${percent(found)} failed, and ${percent(limit)} may` };
  const least = limit === 0 ? 1 : Math.ceil(1 / limit);
  if (during.measurements < least) {
    const reason =
      `${percent(limit)} failed cannot be told from less than ${least} measurements while the fault is in force, and there were ` +
      `${during.measurements}; lower probePollingInterval, or raise TOTAL_CHAOS_DURATION`;
    return { outcome: 'unknown', reason };
  }
  return { outcome: 'passed', reason: `${percent(found)} failed, within ${percent(limit)}` };
}

function judgeOutage(limitMs: number, { outage, longestGapMs = Infinity }: ProbeSummary): ToleranceJudgement {
  const foundMs = outage?.ms ?? 0;
  const limit = humanTime(limitMs);
  if (foundMs > limitMs)
    return { outcome: 'failure', reason: `an outage of ${humanTime(foundMs)}, and ${limit} may be` };
  if (longestGapMs > limitMs) {
    const reason =
      `an outage of more than ${limit} may have been missed: for ${humanTime(longestGapMs)} nothing was measured while the fault was in ` +
      'force; lower probePollingInterval, or run on a machine that is less busy';
    return { outcome: 'unknown', reason };
  }
  return { outcome: 'passed', reason: `longest outage ${humanTime(foundMs)}, within ${limit}` };
}

function judgeLatency(name: Percentile, limitMs: number, { during }: ProbeSummary): ToleranceJudgement {
  const { latencies = 0 } = during;
  const foundMs = name === 'max' ? during.maxMs : during[`${name}Ms`];
  const limit = humanTime(limitMs);
  const least = LEAST_LATENCIES[name];
  if (foundMs === undefined || latencies < least) {
    const reason =
      `${name} cannot be told from less than ${least} latencies while the fault is in force, and there were ${latencies}; ` +
      'lower probePollingInterval, or raise TOTAL_CHAOS_DURATION';
    return { outcome: 'unknown', reason };
  }
  if (foundMs > limitMs) {
    return {
      outcome: 'failure',
      reason: `${name} ${humanTime(foundMs)} during the fault, and ${limit} may be`,
    };
  }
  return { outcome: 'passed', reason: `${name} ${humanTime(foundMs)} during the fault, within ${limit}` };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** `0.5 %`; three digits are enough for people. */
function percent(of: number): string {
  return `${Number((of * 100).toPrecision(3))} %`;
}
