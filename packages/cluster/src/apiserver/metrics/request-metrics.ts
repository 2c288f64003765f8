/**
 * What the API server counts of its requests, and the page `/metrics` in the text format of Prometheus. Names, labels, buckets and help texts are
 * Kubernetes'. Source: kubernetes.io, Kubernetes Metrics Reference; prometheus.io, Exposition formats.
 */
import { readdir } from 'node:fs/promises';
import { KUBERNETES_VERSION } from '../../base/version.ts';
import type { RequestInfo } from '../http/request-info.ts';

type Labels = Readonly<Record<string, string>>;

const SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** Beyond so many, labels are left empty. */
const MAX_SERIES = 5_000;
const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

/** What a request was about. */
export interface Subject {
  readonly info: RequestInfo;
  readonly isApply: boolean;
  readonly isDryRun: boolean;
}

/** To be called once with the answer to a request. */
type Answered = (
  answer: { readonly code: number; readonly bytes: number },
  /** Undefined where it was about nothing that is served: what clients make up is no label. */
  subject: Subject | undefined,
  /** Of a stream: calls back when it has ended, which is when it is counted. */
  onOver?: (listener: () => void) => void,
) => void;

interface Series {
  readonly labels: Labels;
  value: number;
  /** Of a histogram: how many are in each bucket and in none before it. */
  readonly counts: number[];
}

/** Values by labels. */
class Family {
  readonly #series = new Map<string, Series>();
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[] = []) {
    this.#bounds = bounds;
  }

  add(labels: Labels, value: number): void {
    const series = this.#of(labels);
    series.value += value;
    if (this.#bounds.length === 0) return;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  #of(labels: Labels): Series {
    const key = Object.values(labels).join('\n');
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES && Object.values(labels).some((value) => value !== ''))
      return this.#of(Object.fromEntries(Object.keys(labels).map((name) => [name, ''])));
    const made: Series = { labels, value: 0, counts: [] };
    this.#series.set(key, made);
    return made;
  }

  lines(name: string): string[] {
    return [...this.#series.values()].flatMap((series) =>
      this.#bounds.length === 0
        ? [line(name, series.labels, series.value)]
        : histogramLines(name, series, this.#bounds),
    );
  }
}

function histogramLines(
  name: string,
  { labels, value, counts }: Series,
  bounds: readonly number[],
): string[] {
  let sum = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    sum += counts[index] ?? 0;
    return line(
      `${name}_bucket`,
      { ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound) },
      sum,
    );
  });
  return [...buckets, line(`${name}_sum`, labels, value), line(`${name}_count`, labels, sum)];
}

function line(name: string, labels: Labels, value: number): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`;
}

/** How many objects of a kind are stored. */
interface StoredCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

export class RequestMetrics {
  readonly #total = new Family();
  readonly #seconds = new Family(SECONDS);
  readonly #bytes = new Family(BYTES);
  readonly #longRunning = new Family();
  readonly #clientRequests = new Family();
  readonly #underWay = { mutating: 0, readOnly: 0 };
  /** Milliseconds of a clock that never goes back. */
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A request of an HTTP method begins to be worked on. */
  begin(method: string): Answered {
    const kind = method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating';
    const start = this.#now();
    this.#underWay[kind] += 1;
    return ({ code, bytes }, subject, onOver) => {
      this.#underWay[kind] -= 1;
      const { dry_run, ...labels } = labelsOf(method, code, subject);
      const count = (): void => {
        const all = { ...labels, dry_run };
        this.#total.add({ code: String(code), ...all }, 1);
        this.#seconds.add(all, (this.#now() - start) / 1000);
        if (labels.verb === 'GET' || labels.verb === 'LIST') this.#bytes.add(labels, bytes);
      };
      if (onOver === undefined) {
        count();
        return;
      }
      this.#longRunning.add(labels, 1);
      onOver(() => {
        this.#longRunning.add(labels, -1);
        count();
      });
    };
  }

  /** A request of the server to another one, a webhook. */
  asked(host: string, code: string): void {
    this.#clientRequests.add({ code, host, method: 'POST' }, 1);
  }

  /** The page. */
  async page(stored: readonly StoredCount[]): Promise<string> {
    const { user, system } = process.cpuUsage();
    const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
    const build = {
      git_version: KUBERNETES_VERSION,
      go_version: '',
      major,
      minor,
      platform: `${process.platform}/${process.arch}`,
    };
    const files = await openFiles();
    return [
      family(
        'apiserver_current_inflight_requests',
        'gauge',
        Object.entries(this.#underWay).map(([kind, count]) =>
          line('apiserver_current_inflight_requests', { request_kind: kind }, count),
        ),
      ),
      family(
        'apiserver_longrunning_requests',
        'gauge',
        this.#longRunning.lines('apiserver_longrunning_requests'),
      ),
      family(
        'apiserver_request_duration_seconds',
        'histogram',
        this.#seconds.lines('apiserver_request_duration_seconds'),
      ),
      family('apiserver_request_total', 'counter', this.#total.lines('apiserver_request_total')),
      family(
        'apiserver_resource_objects',
        'gauge',
        stored.map(({ group, resource, count }) =>
          line('apiserver_resource_objects', { group, resource }, count),
        ),
      ),
      family('apiserver_response_sizes', 'histogram', this.#bytes.lines('apiserver_response_sizes')),
      family(
        'apiserver_storage_objects',
        'gauge',
        stored.map(({ group, resource, count }) =>
          line(
            'apiserver_storage_objects',
            { resource: group === '' ? resource : `${resource}.${group}` },
            count,
          ),
        ),
      ),
      family('kubernetes_build_info', 'gauge', [line('kubernetes_build_info', build, 1)]),
      family('process_cpu_seconds_total', 'counter', [
        line('process_cpu_seconds_total', {}, (user + system) / 1e6),
      ]),
      ...(files === undefined
        ? []
        : [family('process_open_fds', 'gauge', [line('process_open_fds', {}, files)])]),
      family('process_resident_memory_bytes', 'gauge', [
        line('process_resident_memory_bytes', {}, process.memoryUsage.rss()),
      ]),
      family('process_start_time_seconds', 'gauge', [
        line('process_start_time_seconds', {}, performance.timeOrigin / 1000),
      ]),
      family(
        'rest_client_requests_total',
        'counter',
        this.#clientRequests.lines('rest_client_requests_total'),
      ),
    ].join('');
  }
}

/** Undefined where the system does not tell. */
async function openFiles(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}

function family(name: keyof typeof HELP, type: string, lines: readonly string[]): string {
  return `# HELP ${name} ${HELP[name]}\n# TYPE ${name} ${type}\n${lines.map((text) => `${text}\n`).join('')}`;
}

/** Kubernetes' words, which dashboards and users search for. */
const HELP = {
  apiserver_current_inflight_requests:
    '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
  apiserver_longrunning_requests:
    '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
  apiserver_request_duration_seconds:
    '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
  apiserver_request_total:
    '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
  apiserver_resource_objects:
    '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
  apiserver_response_sizes:
    '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
  apiserver_storage_objects:
    '[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
  kubernetes_build_info:
    "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
  process_cpu_seconds_total: 'Total user and system CPU time spent in seconds.',
  process_open_fds: 'Number of open file descriptors.',
  process_resident_memory_bytes: 'Resident memory size in bytes.',
  process_start_time_seconds: 'Start time of the process since unix epoch in seconds.',
  rest_client_requests_total:
    '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
} as const;

type LabelName =
  | 'component'
  | 'dry_run'
  | 'group'
  | 'resource'
  | 'scope'
  | 'subresource'
  | 'verb'
  | 'version';

const NOT_FOUND = 404;
/** First parts of the paths that are no resources. */
const PATHS = new Set('api apis healthz livez readyz metrics openapi openid version .well-known'.split(' '));

function labelsOf(
  method: string,
  code: number,
  subject: Subject | undefined,
): Readonly<Record<LabelName, string>> {
  const none = { component: 'apiserver', dry_run: '', group: '', resource: '', scope: '', subresource: '' };
  if (subject === undefined) return { ...none, verb: method, version: '' };
  const { info, isApply, isDryRun } = subject;
  const { group, version, plural, namespace, name, verb, isResource } = info;
  if (!isResource) {
    const [, first = ''] = info.path.split('/', 2);
    return { ...none, subresource: PATHS.has(first) ? `/${first}` : '', verb: method, version: '' };
  }
  const isOfOne = name !== '' || verb === 'create';
  return {
    ...none,
    dry_run: isDryRun ? 'All' : '',
    group,
    resource: plural,
    scope: isOfOne ? 'resource' : namespace === '' ? 'cluster' : 'namespace',
    subresource: code === NOT_FOUND ? '' : info.subresource,
    verb: isApply ? 'APPLY' : (VERBS[verb] ?? verb.toUpperCase()),
    version,
  };
}
