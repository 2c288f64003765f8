/** httpProbe: asks a URL and judges the status or the body of the answer. */
import { STATUS_CODES } from 'node:http';
import { firstLine } from '@turnsole/kube/text/first-line';
import type { HttpProbeInputs, Probe } from '../../api/schema/probe.ts';
import { errorCode, failureCode } from './codes.ts';
import { type ComparatorSpec, compare } from './comparator.ts';
import {
  type BodyUse,
  describeRequest,
  type HttpAnswer,
  type HttpRequest,
  HttpRequestError,
  parseHttpUrl,
  sendHttpRequest,
} from './http-request.ts';
import type { Measurement } from './outcome.ts';
import { readPodFile } from './pod-file.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { tlsOptions } from './tls-files.ts';

const KEY = 'httpProbe/inputs';
const TYPE = 'httpProbe';
/** A body that is compared; more of it makes no sense. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** The beginning of an answer that is not compared, for messages. */
const BODY_KEPT_BYTES = 1024;
const BODY_SHOWN = 200;

/** The method that is used: GET when both are given, as upstream. */
interface Method {
  readonly verb: 'get' | 'post';
  readonly criteria: string;
  readonly responseCode: string;
  /** Judged instead of the status when it is not empty. */
  readonly responseBody: string;
  readonly contentType: string;
  readonly body: string;
  readonly bodyPath: string;
}

/** Gives the type; see {@link ProbeKind}. */
export function createHttpProbe(): ProbeKind {
  return { measure, subject };
}

function subject(probe: Probe, render: MeasureContext['render']): string {
  const inputs = probe[KEY];
  const method = methodOf(inputs)?.verb === 'post' ? 'POST' : 'GET';
  const url = render(inputs?.url ?? '');
  const parsed = URL.parse(url.trim());
  return parsed === null ? `${method} ${url}` : describeRequest({ method, url: parsed });
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
    responseBody: String(chosen.responseBody ?? ''),
    contentType: post?.contentType ?? '',
    body: post?.body ?? '',
    bodyPath: post?.bodyPath ?? '',
  };
}

/** Which part of the answer is compared with what. Pure. */
function comparison({ criteria, responseCode, responseBody }: Method): {
  readonly field: 'responseCode' | 'responseBody';
  readonly spec: ComparatorSpec;
} {
  return responseBody === ''
    ? { field: 'responseCode', spec: { type: 'int', criteria, value: responseCode } }
    : { field: 'responseBody', spec: { type: 'string', criteria, value: responseBody } };
}

async function measure(probe: Probe, context: MeasureContext): Promise<Measurement> {
  const inputs = probe[KEY];
  const method = methodOf(inputs);
  if (inputs === undefined || method === undefined) throw new Error(`${KEY} is incomplete`);
  const url = context.render(inputs.url);
  try {
    const request = await buildRequest(url, inputs, method, context);
    const bodyUse: BodyUse =
      method.responseBody === ''
        ? { use: 'discard', keepBytes: BODY_KEPT_BYTES }
        : { use: 'read', limitBytes: BODY_LIMIT_BYTES };
    const { clock } = context;
    const askedAt = clock.monotonic();
    const answer = await sendHttpRequest(request, bodyUse, context);
    const measured = { what: 'response time', value: clock.monotonic() - askedAt, unit: 'ms' };
    return { ...judge(request, url, method, answer), measured };
  } catch (error) {
    if (!(error instanceof HttpRequestError) || context.signal.aborted) throw error;
    const code = error.cannotWork ? errorCode(TYPE) : failureCode(TYPE);
    const outcome = error.cannotWork ? 'error' : 'failure';
    return { outcome, code, reason: error.message, failure: error.failure };
  }
}

async function buildRequest(
  url: string,
  inputs: HttpProbeInputs,
  method: Method,
  context: MeasureContext,
): Promise<HttpRequest> {
  const { env, signal } = context;
  const target = { url: parseHttpUrl(url), ...(await tlsOptions(inputs, context)) };
  if (method.verb === 'get') return { ...target, method: 'GET' };
  const body = method.body === '' ? await readPodFile(method.bodyPath, env, signal) : method.body;
  const headers: Record<string, string> =
    method.contentType === '' ? {} : { 'content-type': method.contentType };
  return { ...target, method: 'POST', headers, body };
}

function judge(request: HttpRequest, url: string, method: Method, { status, body }: HttpAnswer): Measurement {
  const { field, spec } = comparison(method);
  const actual = field === 'responseCode' ? String(status) : body.trim();
  const found = compare(spec, actual);
  switch (found.outcome) {
    case 'match': {
      const [what, part] = field === 'responseCode' ? ['status code', 'code'] : ['body', 'body'];
      return {
        outcome: 'passed',
        description: `The URL ${url} did respond with correct ${what}. Actual ${part}: '${actual}'. Expected ${part}: '${spec.value}'`,
      };
    }
    case 'mismatch': {
      const failure = field === 'responseCode' ? `status ${status}` : 'other body';
      const answered = `${describeRequest(request)} answered ${statusText(status)}`;
      const wanted =
        field === 'responseCode' && spec.criteria === '==' ? ` instead of ${spec.value.trim()}` : '';
      const line = field === 'responseCode' ? firstLine(body, BODY_SHOWN) : '';
      const reason = `${answered}${wanted}${line === '' ? '' : `: ${line}`}. ${found.reason}`;
      return { outcome: 'failure', code: failureCode(TYPE), reason, failure };
    }
    case 'error':
      return { outcome: 'error', code: errorCode(TYPE), reason: found.reason };
  }
}

/** `503 (Service Unavailable)`. */
function statusText(status: number): string {
  const words = STATUS_CODES[status];
  return words === undefined ? String(status) : `${status} (${words})`;
}
