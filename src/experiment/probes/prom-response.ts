import { isObject, parseObject } from '@turnsole/kube/text/json';
import type { HttpAnswer } from './http-request.ts';
import { shownHead } from './json-answer.ts';

/** Prometheus did not answer with one value; `message` says what it answered. */
export class PromResponseError extends Error {
  override readonly name = 'PromResponseError';
}

/**
 * Gives the one value of the answer to an instant query, as text. Pure. (Prometheus HTTP API, "Expression query result
 * formats".)
 *
 * @throws PromResponseError for an error of Prometheus, no value, or more than one
 */
export function singleValue(answer: HttpAnswer): string {
  const { resultType, result } = resultOf(answer);
  switch (resultType) {
    case 'scalar':
      return sampleValue(result);
    case 'vector':
      return vectorValue(Array.isArray(result) ? result : []);
    default:
      throw new PromResponseError(
        `gives a ${String(resultType)}; write a query that gives one instant value, such as sum(…)`,
      );
  }
}

/** What Prometheus warns of: the value may be that of a part of the data only. Pure. */
export function warningsOf({ body }: HttpAnswer): string[] {
  // Most answers have none, and are read once.
  const { warnings } = body.includes('"warnings"') ? (parseObject(body) ?? {}) : {};
  return Array.isArray(warnings) ? warnings.map(String) : [];
}

/** The result of a Prometheus query of any kind. Pure. @throws PromResponseError for an error of Prometheus, and for any other answer */
export function resultOf({ status, body }: HttpAnswer): {
  readonly resultType?: unknown;
  readonly result?: unknown;
} {
  const answer = parseObject(body);
  if (answer === undefined)
    throw new PromResponseError(`status ${status}, no answer of Prometheus: ${shownHead(body)}`);
  if (status !== 200 || answer.status !== 'success') {
    throw new PromResponseError(`status ${status}, ${String(answer.errorType)}: ${String(answer.error)}`);
  }
  return isObject(answer.data) ? answer.data : {};
}

function vectorValue(rows: readonly unknown[]): string {
  const [row] = rows;
  if (rows.length !== 1 || !isObject(row)) {
    const found = rows.length === 0 ? 'no row' : `${rows.length} rows`;
    throw new PromResponseError(
      `gives ${found} where exactly one is needed; aggregate or select more narrowly`,
    );
  }
  return sampleValue(row.value);
}

/** A sample is `[<seconds>, "<value>"]`. */
function sampleValue(sample: unknown): string {
  const value: unknown = Array.isArray(sample) ? sample[1] : undefined;
  if (typeof value !== 'string' || value === '') throw new PromResponseError('gives a row without a value');
  return value;
}
