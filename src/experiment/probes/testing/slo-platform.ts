import { type HttpPeer, startPeer } from './http-peer.ts';

/** What the platform says of an objective's error budget: `[minutes since minute 0, per cent left]`. */
export type Burndown = readonly (readonly [minute: number, percent: number])[];

/** An objective; the values may depend on the requested times (minutes). */
export interface Objective {
  readonly burndown: Burndown | ((from: number, to: number) => Burndown);
  readonly calculating?: boolean;
}

/** A server with the part of the platform's API that sloProbes use, below `/gateway/cv/api`. */
export interface SloPlatform extends AsyncDisposable {
  /** For `platformEndpoint`. */
  readonly endpoint: string;
  /** Time of minute 0. */
  readonly zeroMs: number;
  readonly peer: HttpPeer;
  /** Objectives by account/org/project/identifier; may be changed at any time. */
  readonly objectives: Map<string, Objective>;
  /** Answers of the next requests in place of the right ones. */
  readonly nextStatuses: number[];
}

/** The only token that is accepted. */
export const SLO_TOKEN = 'pat.acme.1';

/** Starts it. @param zeroMs time of minute 0 */
export async function startSloPlatform(zeroMs: number): Promise<SloPlatform> {
  const objectives: SloPlatform['objectives'] = new Map();
  const nextStatuses: number[] = [];
  const peer = await startPeer((request, response) => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const fail = (status: number, code: string, message: string): void =>
      send(status, { status: 'ERROR', code, message, correlationId: '' });
    const next = nextStatuses.shift();
    if (next !== undefined) return fail(next, 'GENERAL_ERROR', 'try later');
    if (request.headers['x-api-key'] !== SLO_TOKEN) {
      return fail(401, 'INVALID_TOKEN', 'The API key is not valid');
    }
    const url = new URL(request.url ?? '', 'http://platform');
    const [, identifier] = /^\/gateway\/cv\/api\/slo-dashboard\/widget\/([^/]+)$/.exec(url.pathname) ?? [];
    const scope = ['accountId', 'orgIdentifier', 'projectIdentifier'].map((name) =>
      url.searchParams.get(name),
    );
    const found = objectives.get([...scope, identifier].join('/'));
    if (found === undefined) return fail(404, 'RESOURCE_NOT_FOUND', `SLO ${identifier} is not present`);
    const from = Number(url.searchParams.get('startTime'));
    const to = Number(url.searchParams.get('endTime'));
    const minute = (ms: number): number => (ms - zeroMs) / 60_000;
    const values =
      typeof found.burndown === 'function' ? found.burndown(minute(from), minute(to)) : found.burndown;
    const points = values.map(([at, value]) => ({ timestamp: zeroMs + at * 60_000, value }));
    const sloDashboardWidget = {
      sloIdentifier: identifier,
      errorBudgetRemainingPercentage: points.at(-1)?.value ?? 100,
      errorBudgetBurndown: points.filter(({ timestamp }) => timestamp >= from && timestamp <= to),
      sloPerformanceTrend: [],
      calculatingSLI: found.calculating === true,
      recalculatingSLI: false,
    };
    send(200, { status: 'SUCCESS', data: { description: '', sloDashboardWidget, timeRangeFilters: [] } });
  });
  return {
    endpoint: `${peer.url}/gateway/cv/api`,
    zeroMs,
    peer,
    objectives,
    nextStatuses,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
