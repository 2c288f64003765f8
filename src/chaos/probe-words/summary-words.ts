/** What a probe measured around the fault, in a sentence: the same in timeline, table, reports and page. */

import { humanTime } from '@turnsole/kube/text/human-time';
import { measurementNoun } from '../../api/probe-types/index.ts';
import type { ProbeSummary, ProbeSummaryPart } from '../../api/schema/result.ts';

/** Kinds of failures in a sentence; the summary has all. */
const KINDS_SHOWN = 3;

/**
 * `14 of 760 requests failed during the fault, between +3.5 s and +9.1 s (12 refused, 2 no answer in 1 s), longest outage 5.6 s; p95 12 ms
 * before, 2.1 s during, 13 ms after`. Times count from the begin of the fault; what failed before it is said apart. Pure.
 */
export function summaryWords(summary: ProbeSummary, type: string): string {
  const noun = measurementNoun([type]);
  const parts = [failures(summary, noun), before(summary), latencies(summary)];
  return parts.filter((part) => part !== '').join('; ');
}

function failures(summary: ProbeSummary, noun: string): string {
  const { before: early, during, after, injected, firstFailure, lastFailure, outage: longest } = summary;
  if (injected === undefined)
    return `${counted(early.failed, early.measurements, noun)} failed; there was no fault`;
  const failed = during.failed + after.failed;
  const head = `${counted(failed, during.measurements + after.measurements, noun)} failed`;
  const again = retried([during, after]);
  if (failed === 0)
    return again === '' || longest === undefined
      ? head
      : `${head}${again}, longest outage ${humanTime(longest.ms)}`;
  const when =
    after.failed === 0
      ? ' during the fault'
      : during.failed === 0
        ? ' after the fault'
        : `, ${during.failed} during and ${after.failed} after the fault`;
  const [from, to] = [firstFailure, lastFailure].map((moment) => offset(moment?.sinceInjectionMs ?? 0));
  const between = from === to ? `at ${from}` : `between ${from} and ${to}`;
  return `${head}${when}, ${between} (${kinds([during, after])})${again}${outage(summary)}`;
}

/** An attempt that fails is forgiven where a further one passes; users may have seen it. */
function retried(parts: readonly ProbeSummaryPart[]): string {
  const count = parts.reduce((sum, part) => sum + (part.retried ?? 0), 0);
  return count === 0 ? '' : `, ${count} passed only by a further attempt`;
}

function outage({ outage: longest, recovery }: ProbeSummary): string {
  if (longest === undefined) return '';
  const back = recovery?.sinceRevertMs;
  const recovered =
    recovery === undefined
      ? ', not recovered'
      : back !== undefined && back > 0
        ? `, recovered ${humanTime(back)} after the fault`
        : '';
  return `, longest outage ${humanTime(longest.ms)}${recovered}`;
}

/** What failed before the fault is not its doing. */
function before({ before: early, injected, lastFailureBefore }: ProbeSummary): string {
  const earlier = -(lastFailureBefore?.sinceInjectionMs ?? 0);
  if (injected === undefined || early.failed === 0) return '';
  return `${early.failed} failed before the fault, the last ${humanTime(earlier)} before it (${kinds([early])})`;
}

function latencies({ before: early, during, after }: ProbeSummary): string {
  const shown = [
    { part: early, when: 'before' },
    { part: during, when: 'during' },
    { part: after, when: 'after' },
  ].flatMap(({ part, when }) => (part.p95Ms === undefined ? [] : [`${humanTime(part.p95Ms)} ${when}`]));
  return shown.length === 0 ? '' : `p95 ${shown.join(', ')}`;
}

function counted(failed: number, of: number, noun: string): string {
  return `${failed === 0 ? 'none' : failed} of ${of} ${noun}${of === 1 ? '' : 's'}`;
}

function kinds(parts: readonly ProbeSummaryPart[]): string {
  const counts = new Map<string, number>();
  for (const { kind, count } of parts.flatMap(({ failures: list = [] }) => list)) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(KINDS_SHOWN).reduce((sum, [, count]) => sum + count, 0);
  const shown = sorted.slice(0, KINDS_SHOWN).map(([kind, count]) => `${count} ${kind}`);
  return [...shown, ...(rest === 0 ? [] : [`${rest} in other ways`])].join(', ');
}

/** A measurement counts from its begin, and as one of the fault's when that came while it was under way. */
function offset(ms: number): string {
  return ms < 0 ? `${humanTime(ms)} (under way when the fault began)` : `+${humanTime(ms)}`;
}
