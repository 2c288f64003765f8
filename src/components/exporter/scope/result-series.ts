import {
  isAwaited,
  RESULT_METRICS,
  type ResultLabels,
  type ResultNumbers,
  resultLabels,
} from '../result-metrics.ts';
import { headOf, labelText, type PieceWriter } from './exposition.ts';
import type { SlimEngine, SlimResult } from './slim-objects.ts';

/** The series of one result, ready to be written; made anew only when the result has changed. Before further labels is a comma. */
export interface ResultSeries extends ResultNumbers, ResultLabels<string> {}

/** Input of the series of a result. */
interface SeriesInput extends Pick<ResultNumbers, 'times' | 'verdictUntilMs'> {
  readonly result: SlimResult;
  readonly engine: SlimEngine | undefined;
}

/** The series of one result. Pure. */
export function resultSeries({ result, engine, ...of }: SeriesInput): ResultSeries {
  const { metadata, verdict, passedRuns, failedRuns, percentage } = result;
  const { name, namespace = '' } = metadata;
  const labels = resultLabels({ ...result, name, namespace }, engine);
  return {
    common: labelText(labels.common),
    ofAwaited: `,${labelText(labels.ofAwaited)}`,
    ofVerdict: `,${labelText(labels.ofVerdict)}`,
    passedRuns,
    failedRuns,
    percentage,
    isAwaited: isAwaited(verdict),
    ...of,
  };
}

/** The lines of all series of all results, in pieces; what does not fill one stays with the writer. Pure but for that. */
export function* resultPieces(
  all: readonly ResultSeries[],
  nowMs: number,
  writer: PieceWriter,
): Generator<Uint8Array> {
  if (all.length === 0) return;
  for (const { name, help, value, labels } of RESULT_METRICS) {
    writer.put(headOf(name, help));
    const begin = `${name}{`;
    for (const series of all) {
      writer.put(begin);
      writer.put(series.common);
      if (labels !== undefined) writer.put(series[labels]);
      writer.put('} ');
      writer.put(String(value(series, nowMs)));
      writer.put('\n');
      if (writer.isFull) yield writer.take();
    }
  }
}
