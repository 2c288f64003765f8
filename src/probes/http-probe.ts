/** httpProbe: asks a URL and judges the status of the answer. */
import type { HttpProbeInputs, Probe } from '../api/schema/probe.ts';
import { type FieldError, required } from '../api/validation/field-error.ts';
import { errorCode, failureCode } from './codes.ts';
import { compare } from './comparator.ts';
import { comparatorErrors } from './comparison-errors.ts';
import { type HttpRequest, HttpRequestError, parseHttpUrl, sendHttpRequest } from './http-request.ts';
import type { Measurement } from './outcome.ts';
import { readPodFile } from './pod-file.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';

const KEY = 'httpProbe/inputs';
const TYPE = 'httpProbe';

/** The method that is used: GET when both are given, as upstream. */
interface Method {
  readonly verb: 'get' | 'post';
  readonly criteria: string;
  readonly responseCode: string;
  readonly contentType: string;
  readonly body: string;
  readonly bodyPath: string;
}

/** Gives the type; see {@link ProbeKind}. */
export function createHttpProbe(): ProbeKind {
  return {
    check: async (probe) => check(probe[KEY]),
    templates: (probe) => [{ path: [KEY, 'url'], text: probe[KEY]?.url ?? '' }],
    measure,
  };
}

function methodOf(inputs: HttpProbeInputs | undefined): Method | undefined {
  const get = inputs?.method?.get ?? undefined;
  const post = inputs?.method?.post ?? undefined;
  const chosen = get ?? post;
  if (chosen === undefined) return undefined;
  return {
    verb: get === undefined ? 'post' : 'get',
    criteria: String(chosen.criteria ?? ''),
    responseCode: String(chosen.responseCode ?? ''),
    contentType: post?.contentType ?? '',
    body: post?.body ?? '',
    bodyPath: post?.bodyPath ?? '',
  };
}

function check(inputs: HttpProbeInputs | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if ((inputs?.url ?? '').trim() === '') errors.push(required([KEY, 'url'], 'the URL to ask'));
  const method = methodOf(inputs);
  if (method === undefined) return [...errors, required([KEY, 'method'], 'give get or post')];
  const path = [KEY, 'method', method.verb];
  if (method.verb === 'post' && method.body === '' && method.bodyPath === '') {
    errors.push(required([...path, 'body'], 'give body or bodyPath'));
  }
  const { criteria, responseCode: value } = method;
  const paths = { type: path, criteria: [...path, 'criteria'], value: [...path, 'responseCode'] };
  return [...errors, ...comparatorErrors({ type: 'int', criteria, value, paths })];
}

async function measure(probe: Probe, context: MeasureContext): Promise<Measurement> {
  const inputs = probe[KEY];
  const method = methodOf(inputs);
  if (inputs === undefined || method === undefined) throw new Error(`${KEY} is incomplete`);
  const url = context.render(inputs.url);
  try {
    const request = await buildRequest(url, inputs, method, context);
    const { status } = await sendHttpRequest(request, { use: 'discard' }, context);
    return judge(url, method, String(status));
  } catch (error) {
    if (!(error instanceof HttpRequestError) || context.signal.aborted) throw error;
    const code = error.cannotWork ? errorCode(TYPE) : failureCode(TYPE);
    return { outcome: error.cannotWork ? 'error' : 'failure', code, reason: error.message };
  }
}

async function buildRequest(
  url: string,
  inputs: HttpProbeInputs,
  method: Method,
  { env, signal }: MeasureContext,
): Promise<HttpRequest> {
  const target = { url: parseHttpUrl(url), verifyTls: inputs.insecureSkipVerify !== true };
  if (method.verb === 'get') return { ...target, method: 'GET' };
  const body = method.body === '' ? await readPodFile(method.bodyPath, env, signal) : method.body;
  const headers: Record<string, string> =
    method.contentType === '' ? {} : { 'content-type': method.contentType };
  return { ...target, method: 'POST', headers, body };
}

function judge(url: string, { criteria, responseCode: value }: Method, status: string): Measurement {
  const comparison = compare({ type: 'int', criteria, value }, status);
  switch (comparison.outcome) {
    case 'match':
      return {
        outcome: 'passed',
        description: `The URL ${url} did respond with correct status code. Actual code: '${status}'. Expected code: '${value}'`,
      };
    case 'mismatch':
      return { outcome: 'failure', code: failureCode(TYPE), reason: comparison.reason };
    case 'error':
      return { outcome: 'error', code: errorCode(TYPE), reason: comparison.reason };
  }
}
