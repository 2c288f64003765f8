import { createMetrics, type Metrics } from '../../process/metrics.ts';
import type { ObservedRequest } from '../http/observe.ts';
import type { Store } from '../store/store.ts';
import { experimentMetrics } from './experiment-metrics.ts';

/** Counters of requests, and their page. */
interface ServerMetrics {
  observe(request: ObservedRequest): void;
  page(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const REQUEST_LABELS = ['endpoint', 'status', 'operation_name', 'operation_type'];
const MILLISECOND_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 30_000];
/** Upstream's value without an operation. */
const NONE = 'N/A';

/** Metrics under upstream's names, with the documented meaning. Each scrape reads the numbers of the database. */
export function serverMetrics(store: Pick<Store, 'read'>): ServerMetrics {
  const metrics = createMetrics();
  const count = requestCounters(metrics);
  const agents = agentGauges(metrics, store);
  const experiments = experimentMetrics(metrics, store);
  return {
    observe: count,
    page: async () => {
      await Promise.all([agents(), experiments()]);
      return metrics.page();
    },
  };
}

function requestCounters(metrics: Metrics): (request: ObservedRequest) => void {
  const requests = metrics.counter('litmus_api_requests_total', 'Answered requests.', REQUEST_LABELS);
  const times = metrics.histogram(
    'litmus_api_response_time_milliseconds',
    'Time until a request was answered.',
    REQUEST_LABELS,
    MILLISECOND_BUCKETS,
  );
  const errors = metrics.counter('litmus_api_error_requests_total', 'Requests answered by an error.', [
    'endpoint',
    'error_type',
  ]);
  const strangers = metrics.counter(
    'litmus_api_authentication_failures_total',
    'Requests refused as nobody or the wrong one has signed in.',
    ['auth_method'],
  );
  return (request) => {
    const { endpoint, status, operation, milliseconds } = request;
    const labels = {
      endpoint,
      status: String(status),
      operation_name: operation?.name ?? NONE,
      operation_type: operation?.type ?? NONE,
    };
    requests.inc(labels);
    times.observe(milliseconds, labels);
    const error = errorTypeOf(request);
    if (error !== undefined) errors.inc({ endpoint, error_type: error });
    if (error === 'unauthenticated')
      strangers.inc({ auth_method: endpoint.endsWith('/login') ? 'password' : 'jwt' });
  };
}

/** Kind of an error: the code of GraphQL, else from the HTTP status. Pure. */
function errorTypeOf({ status, operation }: ObservedRequest): string | undefined {
  if (operation?.error !== undefined) return operation.error;
  if (status < 400) return undefined;
  if (status === 401) return 'unauthenticated';
  return status < 500 ? 'client_error' : 'server_error';
}

function agentGauges(metrics: Metrics, { read }: Pick<Store, 'read'>): () => Promise<void> {
  const labels = ['project_id'];
  const connected = metrics.gauge('litmus_connected_agents', 'Agents that are connected.', labels);
  const disconnected = metrics.gauge('litmus_disconnected_agents', 'Agents that are not connected.', labels);
  const total = metrics.gauge('litmus_total_agents', 'Agents that have registered.', labels);
  return async () => {
    const rows = await read
      .selectFrom('infras')
      .select(['project_id', 'active', ({ fn }) => fn.countAll<number>().as('agents')])
      .where('removed', '=', 0)
      .where('confirmed', '=', 1)
      .groupBy(['project_id', 'active'])
      .execute();
    for (const gauge of [connected, disconnected, total]) gauge.reset();
    for (const { project_id } of rows)
      for (const gauge of [connected, disconnected]) gauge.set(0, { project_id });
    for (const { project_id, active, agents } of rows) {
      (active === 1 ? connected : disconnected).set(Number(agents), { project_id });
      total.add(Number(agents), { project_id });
    }
  };
}
