/** promProbe: asks Prometheus for the value of a query and judges it. */

import { firstLine } from '@turnsole/kube/text/first-line';
import type { Probe, PromProbeInputs } from '../../api/schema/probe.ts';
import { errorCode } from './codes.ts';
import { compare } from './comparator.ts';
import { sendHttpRequest } from './http-request.ts';
import { type Measurement, ofComparison } from './outcome.ts';
import { readPodFile } from './pod-file.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { promRequest } from './prom-request.ts';
import { PromResponseError, singleValue, warningsOf } from './prom-response.ts';
import { tlsOptions } from './tls-files.ts';

const KEY = 'promProbe/inputs';
const TYPE = 'promProbe';
/** Of a query, in messages. */
const QUERY_SHOWN = 120;
/** An instant query has a short answer; anything longer is not what was asked for. */
const ANSWER_LIMIT_BYTES = 10 * 1024 * 1024;

/** Gives the type; see {@link ProbeKind}. Endpoint and query are not templated, as upstream. */
export function createPromProbe(): ProbeKind {
  return {
    measure,
    subject: (probe) => {
      const { endpoint = '', query = '', queryPath = '' } = probe[KEY] ?? {};
      const url = URL.parse(endpoint.trim());
      if (url !== null) url.password = '';
      const what = query.trim() === '' ? `of ${queryPath}` : `'${firstLine(query, QUERY_SHOWN)}'`;
      return `query ${what} at ${url?.href ?? endpoint}`;
    },
  };
}

async function measure(probe: Probe, context: MeasureContext): Promise<Measurement> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const query = await queryText(inputs, context);
  const request = {
    ...promRequest(inputs.endpoint, 'query', { query }),
    ...(await tlsOptions(inputs, context)),
  };
  const answer = await sendHttpRequest(request, { use: 'read', limitBytes: ANSWER_LIMIT_BYTES }, context);
  try {
    const found = judge(singleValue(answer), inputs.comparator);
    const warnings = warningsOf(answer);
    return warnings.length === 0 ? found : withText(found, `; Prometheus warns: ${warnings.join('; ')}`);
  } catch (error) {
    if (!(error instanceof PromResponseError)) throw error;
    const reason = `query '${query}': ${error.message}`;
    return { outcome: 'error', code: errorCode(TYPE), reason, failure: 'no value' };
  }
}

function withText(found: Measurement, text: string): Measurement {
  return found.outcome === 'passed'
    ? { ...found, description: found.description + text }
    : { ...found, reason: found.reason + text };
}

async function queryText(inputs: PromProbeInputs, { env, signal }: MeasureContext): Promise<string> {
  const { query = '', queryPath = '' } = inputs;
  return query.trim() === '' ? (await readPodFile(queryPath, env, signal)).trim() : query.trim();
}

function judge(actual: string, { criteria, value }: { criteria: string; value: string }): Measurement {
  const comparison = compare({ type: 'float', criteria, value }, actual);
  const description = `Obtained the specified prometheus metrics. Actual value: ${actual}. Expected value: ${value}`;
  return ofComparison(TYPE, comparison, { description, actual });
}
