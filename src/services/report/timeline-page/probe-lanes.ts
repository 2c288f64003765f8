import { isObject } from '@turnsole/kube/text/json';
import type { ChaosResult, TimelineEntry } from '../../../api/index.ts';
import { CHAOS_ENDED, VERDICT_STEP } from '../../../api/index.ts';
import type { Measured } from '../../../api/schema/result.ts';
import { isLasting } from '../../../api/schema/vocabulary.ts';
import { msOf } from '../../../chaos/spans/steps.ts';
import type { Bar, Curve, Lane, Mark } from './lane.ts';

const PROBE_KINDS: Readonly<Record<string, 'passed' | 'failure' | 'error'>> = {
  ProbePassed: 'passed',
  ProbeFailed: 'failure',
  ProbeError: 'error',
};

/** A lane for each probe, with what it found and the numbers that it measured. Pure. */
export function probeLanes(
  results: readonly ChaosResult[],
  steps: readonly TimelineEntry[],
  endMs: number,
): Lane[] {
  return results.flatMap(({ spec, status }) =>
    (status?.probeStatuses ?? []).map(({ name, mode, measured, subject }): Lane => {
      const curve = measuredCurve(measured);
      const lane = {
        group: 'Probes' as const,
        name: `${name} (${mode})`,
        ...(typeof subject === 'string' && { asks: subject }),
        ...(curve !== undefined && { curve }),
      };
      const found = steps.filter(({ actor, step }) => actor === `probe/${name}` && step in PROBE_KINDS);
      const marks = found.map(
        (entry): Mark => ({
          kind: PROBE_KINDS[entry.step] ?? 'error',
          atMs: msOf(entry),
          label: entry.message,
        }),
      );
      // What a probe that is run again and again has found lasts until it finds something else.
      if (!isLasting(mode)) return { ...lane, bars: [], marks };
      const end = steps.find(
        ({ actor, step }) =>
          actor === `experiment/${spec?.experiment}` && [CHAOS_ENDED, 'Aborted', VERDICT_STEP].includes(step),
      );
      const lastMs = Math.max(end === undefined ? endMs : msOf(end), ...marks.map(({ atMs }) => atMs));
      const bars = marks.map(
        ({ kind, atMs, label }, index): Bar => ({
          // Marks of probes have no other kinds.
          kind: kind as 'passed' | 'failure' | 'error',
          fromMs: atMs,
          toMs: marks[index + 1]?.atMs ?? lastMs,
          label,
        }),
      );
      return { ...lane, bars, marks: [] };
    }),
  );
}

/** Statuses hold whatever their writers put there: points without a number or time are left out. */
function measuredCurve(measured: Measured | null | undefined): Curve | undefined {
  const points = (Array.isArray(measured?.points) ? measured.points : []).flatMap((point) => {
    const { time, value }: Partial<Measured['points'][number]> = isObject(point) ? point : {};
    const atMs = Date.parse(String(time));
    return Number.isNaN(atMs) || typeof value !== 'number' ? [] : [{ atMs, value }];
  });
  if (points.length === 0) return undefined;
  return {
    what: String(measured?.what ?? ''),
    unit: String(measured?.unit ?? ''),
    times: points.map(({ atMs }) => atMs),
    values: points.map(({ value }) => value),
  };
}
