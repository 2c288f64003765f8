/** sloProbe: asks the platform that holds a service level objective how much of its error budget was spent, and judges that. */

import { isNotFound } from '@turnsole/kube/client/errors';
import type { Secret } from '@turnsole/kube/kinds/core';
import { SECRETS } from '@turnsole/kube/kinds/resources';
import { humanTime } from '@turnsole/kube/text/human-time';
import type { Probe, SloProbeInputs } from '../../api/schema/probe.ts';
import { ATTEMPT_TIMEOUT_REASON, errorCode, failureCode } from './codes.ts';
import { compare } from './comparator.ts';
import { type HttpRequest, HttpRequestError, parseHttpUrl, sendHttpRequest } from './http-request.ts';
import { type Measurement, ofComparison } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';
import { budgetDrop, type EvaluationWindow, evaluationWindow, LEAD_MS, reachesEnd } from './slo-budget.ts';
import { SloResponseError, sloState } from './slo-response.ts';
import { withTimeLimit } from './time-limit.ts';

const KEY = 'sloProbe/inputs';
const TYPE = 'sloProbe';
/** A value per minute of a month is a tenth of this. */
const ANSWER_LIMIT_BYTES = 10 * 1024 * 1024;
/** Header of the platform, and the key of the Secret that holds its value. */
const TOKEN_HEADER = 'X-API-KEY';

/** What one look at the platform came to. `isFinal`: looking again would show nothing else. */
type Look = { readonly isFinal: boolean } & (
  | { readonly drop: number }
  | { readonly problem: string; readonly timedOut?: boolean }
);

/** Gives the type; see {@link ProbeKind}. Nothing of its inputs is templated. */
export function createSloProbe(): ProbeKind {
  return {
    // probeTimeout limits each request; beside that the values of the window may be waited for.
    attemptLimitMs: ({ timeoutMs, evaluationMs }) => timeoutMs + evaluationMs,
    measure,
    subject: (probe) => `SLO '${probe[KEY]?.sloIdentifier}' at ${probe[KEY]?.platformEndpoint}`,
  };
}

async function measure(probe: Probe, context: MeasureContext): Promise<Measurement> {
  const inputs = probe[KEY];
  if (inputs === undefined) throw new Error(`${KEY} is missing`);
  const { clock, limits, signal, chaosSinceMs } = context;
  const startedAt = clock.monotonic();
  const window = evaluationWindow(inputs.evaluationWindow, clock.now(), chaosSinceMs);
  for (;;) {
    const look = await lookOnce(inputs, window, context);
    const isLast = clock.monotonic() + limits.pollingMs > startedAt + limits.evaluationMs;
    if (look.isFinal || isLast) return judge(look, inputs);
    await clock.sleep(limits.pollingMs, signal);
  }
}

/** One request within probeTimeout. @throws Error when asking again is of no use */
async function lookOnce(
  inputs: SloProbeInputs,
  window: EvaluationWindow,
  context: MeasureContext,
): Promise<Look> {
  const { clock, limits, signal } = context;
  try {
    const limited = await withTimeLimit({ clock, ms: limits.timeoutMs, signal }, (requestSignal) =>
      ask(inputs, window, { ...context, signal: requestSignal }),
    );
    return limited.timedOut
      ? { isFinal: false, problem: `no answer in ${humanTime(limits.timeoutMs)}`, timedOut: true }
      : limited.value;
  } catch (error) {
    signal.throwIfAborted();
    const mayPass =
      (error instanceof SloResponseError && error.mayPass) ||
      (error instanceof HttpRequestError && !error.cannotWork);
    if (!mayPass) throw error;
    return { isFinal: false, problem: error.message };
  }
}

async function ask(inputs: SloProbeInputs, window: EvaluationWindow, context: MeasureContext): Promise<Look> {
  const token = await readToken(inputs.sloSourceMetadata.apiTokenSecret, context);
  const request = detailsRequest(inputs, window, token);
  const answer = await sendHttpRequest(request, { use: 'read', limitBytes: ANSWER_LIMIT_BYTES }, context);
  const { points, isCalculating } = sloState(answer);
  const drop = budgetDrop(points, window);
  const isFinal = !isCalculating && reachesEnd(points, window);
  if (drop !== undefined) return { isFinal, drop };
  const [from, to] = [window.startMs, window.endMs].map((time) => new Date(time).toISOString());
  return {
    isFinal,
    problem:
      `the platform has no two values of the error budget to compare from ${from} to ${to} (it has ${points.length} ` +
      'around that time); evaluationTimeout says how long they are waited for',
  };
}

/** "SLO dashboard details" of the platform's API. Pure. */
function detailsRequest(inputs: SloProbeInputs, window: EvaluationWindow, token: string): HttpRequest {
  const { platformEndpoint, sloIdentifier, sloSourceMetadata, insecureSkipVerify } = inputs;
  const { accountIdentifier, orgIdentifier, projectIdentifier } = sloSourceMetadata.scope;
  const url = parseHttpUrl(platformEndpoint);
  const path = `slo-dashboard/widget/${encodeURIComponent(sloIdentifier.trim())}`;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  const query = {
    accountId: accountIdentifier,
    orgIdentifier,
    projectIdentifier,
    startTime: String(Math.floor(window.startMs - LEAD_MS)),
    endTime: String(Math.ceil(window.endMs)),
  };
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return {
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    credentials: { [TOKEN_HEADER]: token },
    verifyTls: insecureSkipVerify !== true,
  };
}

/** The token is read each time: it may be replaced while the run goes on. */
async function readToken(name: string, { client, env, signal }: MeasureContext): Promise<string> {
  const namespace = env.CHAOS_NAMESPACE || 'litmus';
  const where = `Secret ${namespace}/${name}`;
  const advice = `sloSourceMetadata.apiTokenSecret names the Secret whose key ${TOKEN_HEADER} holds the API token`;
  let secret: Secret;
  try {
    secret = await client.get<Secret>(SECRETS, name, { namespace, signal });
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new Error(`cannot read the API token: there is no ${where}; ${advice}`, { cause });
  }
  const data = secret.data ?? {};
  const token = Buffer.from(data[TOKEN_HEADER] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (token === '') {
    const keys = Object.keys(data).join(', ') || 'none';
    throw new Error(
      `cannot read the API token: ${where} has no key ${TOKEN_HEADER} (keys: ${keys}); ${advice}`,
    );
  }
  return token;
}

function judge(look: Look, { sloIdentifier, comparator }: SloProbeInputs): Measurement {
  if ('problem' in look) {
    const reason = `SLO '${sloIdentifier}': ${look.problem}`;
    if (look.timedOut !== true)
      return { outcome: 'error', code: errorCode(TYPE), reason, failure: 'no value' };
    const code = failureCode(TYPE);
    return {
      outcome: 'failure',
      code,
      reason: `${ATTEMPT_TIMEOUT_REASON}: ${reason}`,
      failure: look.problem,
    };
  }
  const { criteria, value } = comparator;
  const actual = String(look.drop);
  const comparison = compare({ type: 'float', criteria, value }, actual);
  const description = `The error budget of SLO '${sloIdentifier}' dropped as allowed. Actual value: ${actual}. Expected value: ${value}`;
  return ofComparison(TYPE, comparison, { description, actual });
}
