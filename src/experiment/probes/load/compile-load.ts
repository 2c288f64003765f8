import { parseDuration } from '@turnsole/kube/text/duration';
import type { LoadProbeInputs } from '../../../api/schema/probe.ts';
import { compare } from '../comparator.ts';
import { parseHttpUrl } from '../http-request.ts';
import type { LoadPlan, LoadTarget, LoadTls } from './load-plan.ts';

/** What the inputs of a load do not say. */
interface LoadSurroundings {
  /** Limit of one request. */
  readonly timeoutMs: number;
  readonly tls: LoadTls;
  /** Replaces templates in URLs. @default nothing is replaced */
  readonly render?: (text: string) => string;
}

/** Without a pool and a limit of the user's own: more open connections are more than a pod may have. */
const MOST_UNDER_WAY = 2000;

/**
 * Gives the load that inputs ask for, with defaults; they have passed `validateLoad`.
 *
 * @throws HttpRequestError for a URL that is none after its templates were replaced · what `render` throws
 */
export function compileLoad(
  inputs: LoadProbeInputs,
  { timeoutMs, tls, render = (text) => text }: LoadSurroundings,
): LoadPlan {
  const { rate, ramp, connections } = inputs;
  const pool = connections ?? 0;
  // One more for each that is due in the moment in which another ends.
  const natural = Math.min(MOST_UNDER_WAY, Math.ceil((rate * timeoutMs) / 1000) + Math.ceil(rate / 100) + 1);
  return {
    rate,
    rampMs: parseDuration(ramp ?? ''),
    targets: inputs.requests.map((request) => targetOf(request, render)),
    timeoutMs,
    connections: pool,
    concurrency: inputs.concurrency ?? (pool === 0 ? natural : pool),
    tls,
  };
}

function targetOf(
  request: LoadProbeInputs['requests'][number],
  render: (text: string) => string,
): LoadTarget {
  const { url, method, headers, body, weight, criteria, responseCode } = request;
  const isGiven = (responseCode ?? '').trim() !== '';
  const value = isGiven ? (responseCode ?? '') : '200,399';
  const words = criteria || (isGiven ? '==' : 'between');
  return {
    method: method || 'GET',
    url: parseHttpUrl(render(url)),
    headers: headers ?? {},
    body: (body ?? '') === '' ? undefined : body,
    weight: weight ?? 1,
    accepts: remembered(
      (status) => compare({ type: 'int', criteria: words, value }, `${status}`).outcome === 'match',
    ),
  };
}

/** Answers come by the thousand, and their statuses are few. */
function remembered(accepts: (status: number) => boolean): (status: number) => boolean {
  const known = new Map<number, boolean>();
  return (status) => {
    const before = known.get(status);
    if (before !== undefined) return before;
    const isAccepted = accepts(status);
    known.set(status, isAccepted);
    return isAccepted;
  };
}
