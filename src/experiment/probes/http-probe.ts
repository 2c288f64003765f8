/** httpProbe: asks a URL and judges the status or the body of the answer. */
import type { HttpProbeInputs, Probe } from '../../api/schema/probe.ts';
import { errorCode, failureCode } from './codes.ts';
import { type ComparatorSpec, compare } from './comparator.ts';
import {
  type BodyUse,
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
  return { measure };
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
      method.responseBody === '' ? { use: 'discard' } : { use: 'read', limitBytes: BODY_LIMIT_BYTES };
    const { clock } = context;
    const askedAt = clock.now();
    const answer = await sendHttpRequest(request, bodyUse, context);
    const measured = { what: 'response time', value: clock.now() - askedAt, unit: 'ms' };
    return { ...judge(url, method, answer), measured };
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

function judge(url: string, method: Method, { status, body }: HttpAnswer): Measurement {
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
    case 'mismatch':
      return { outcome: 'failure', code: failureCode(TYPE), reason: found.reason };
    case 'error':
      return { outcome: 'error', code: errorCode(TYPE), reason: found.reason };
  }
}
