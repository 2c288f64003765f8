import type { Container, Service } from '@turnsole/kube/kinds/core';
import { parseDuration } from '@turnsole/kube/text/duration';
import { hasLabels } from '@turnsole/kube/text/label-selector';
import type { Probe } from '../../api/index.ts';
import type { Application, ExposedPorts, Workload } from './application.ts';

/** A check of what users get: a URL that is asked while the fault is in force. */
export interface Check {
  readonly url: string;
  /** Requests per second, sent on schedule (loadProbe). @default one request after the other (httpProbe) */
  readonly rate?: number;
  /** What may go wrong. @default nothing */
  readonly tolerance?: { readonly failed?: string; readonly outage?: string };
}

/** A check that was proposed, with where it comes from. */
interface ProposedCheck {
  readonly url: string;
  /** `Service api and the readiness probe of its pods`. */
  readonly source: string;
}

/** Answers that count as served, where the user says nothing else: no error, no redirect to one. */
const SERVED = { criteria: 'between', responseCode: '200,399' } as const;
/** Longer than a user waits. */
const ANSWER_LIMIT = '2s';

/** The check as a probe of an engine. Pure. @param taken names of the probes before it */
export function probeOf({ url, rate, tolerance }: Check, taken: readonly string[]): Probe {
  const name = freeName(probeName(url), taken);
  const judged = tolerance === undefined || Object.keys(tolerance).length === 0 ? {} : { tolerance };
  if (rate !== undefined) {
    return {
      name,
      type: 'loadProbe',
      mode: 'Continuous',
      'loadProbe/inputs': { rate, requests: [{ url }] },
      ...judged,
      runProperties: { probeTimeout: ANSWER_LIMIT, interval: '0s' },
    };
  }
  return {
    name,
    type: 'httpProbe',
    mode: 'Continuous',
    'httpProbe/inputs': { url, method: { get: SERVED } },
    ...judged,
    runProperties: {
      probeTimeout: ANSWER_LIMIT,
      interval: '0s',
      attempt: 1,
      probePollingInterval: '200ms',
    },
  };
}

/** `api-answers` for `http://api.shop.svc:8080/`. */
function probeName(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const first = host.split('.')[0]?.replaceAll(/[^a-z0-9-]/gi, '') ?? '';
  return `${/^\d*$/.test(first) ? 'application' : first}-answers`;
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const next = taken.length + 1;
  return `${name}-${next}`;
}

/** Reads `1%`, `2s` or both with a comma between: the share that may fail, and how long nothing may succeed. Pure. @throws TypeError */
export function parseTolerance(text: string): NonNullable<Check['tolerance']> {
  const parts = text.split(',').map((part) => part.trim());
  const failed = parts.filter((part) => /^\d+(?:\.\d+)?%$/.test(part));
  const outages = parts.filter((part) => !part.endsWith('%'));
  const isRight = failed.length <= 1 && outages.length <= 1 && outages.every(isDuration);
  if (!isRight || failed.length + outages.length !== parts.length)
    throw new TypeError(
      'expected a share that may fail, such as 1%, the longest outage, such as 2s, or both with a comma between: 1%,2s',
    );
  return {
    ...(failed[0] === undefined ? {} : { failed: failed[0] }),
    ...(outages[0] === undefined ? {} : { outage: outages[0] }),
  };
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch {
    return false;
  }
}

/** Why a URL cannot be asked by a probe, which runs in a pod; undefined where it can. Pure. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return 'expected a URL with http or https, such as http://api:8080/';
  const { hostname, port, protocol } = new URL(text);
  if (!isLoopback(hostname)) return undefined;
  const shown = port === '' ? '' : `:${port}`;
  return (
    `${hostname} is the pod in which the probe runs, and not the application; ` +
    `name its Service: ${protocol}//SERVICE${shown}/`
  );
}

/** Whether a host is the machine, or in a pod the pod, itself. Pure. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/i.test(hostname);
}

/**
 * A check for a workload: what users ask of it ({@link ownCheck}), or where they ask nothing of it, what they ask of a workload that names
 * one of its Services. Undefined where neither speaks HTTP. Pure.
 */
export function proposeCheck(workload: Workload, application: Application): ProposedCheck | undefined {
  const own = ownCheck(workload, application);
  if (own !== undefined) return own;
  const names = application.services
    .filter((service) => leadsTo(service, workload))
    .map(({ metadata }) => metadata.name);
  for (const other of application.workloads) {
    if (other.namespace !== workload.namespace) continue;
    const name = names.find((one) => namesService(other, one));
    const check = name === undefined ? undefined : ownCheck(other, application);
    if (check === undefined) continue;
    const source = `${other.kind} ${other.name}, which names Service ${name}, and ${check.source}`;
    return { url: check.url, source };
  }
  return undefined;
}

/** Whether a variable, a word of the command or an argument of a workload has the name of a Service, as a host or in an address. */
function namesService({ containers }: Workload, name: string): boolean {
  const host = new RegExp(`(?:^|[/@,=\\s])${name}(?=$|[:/.,\\s])`);
  return containers
    .flatMap(({ env, command, args }) => [
      ...(env ?? []).map(({ value }) => value ?? ''),
      ...(command ?? []),
      ...(args ?? []),
    ])
    .some((text) => host.test(text));
}

/**
 * What users ask of a workload, from a Service that leads to its pods: the path of their readiness probe, or `/` where a port has the name
 * or number of HTTP, or is one that the image exposes.
 */
function ownCheck(workload: Workload, { services, exposed }: Application): ProposedCheck | undefined {
  const own = services.filter((service) => leadsTo(service, workload));
  const byReadiness = own.flatMap((service) =>
    workload.containers.flatMap((one) => atReadiness(service, one)),
  );
  const known = workload.containers.flatMap(({ image = '' }) => exposed?.get(image) ?? []);
  return byReadiness[0] ?? own.flatMap((service) => atPort(service, workload, known))[0];
}

function leadsTo({ metadata, spec }: Service, { namespace, labels }: Workload): boolean {
  const selector = spec?.selector ?? {};
  return metadata.namespace === namespace && Object.keys(selector).length > 0 && hasLabels(labels, selector);
}

function atReadiness(service: Service, container: Container): ProposedCheck[] {
  const { httpGet } = container.readinessProbe ?? {};
  if (httpGet === undefined) return [];
  const number = portNumber(httpGet.port, container);
  const port = service.spec?.ports?.find(
    ({ port: own, targetPort }) => portNumber(targetPort ?? own, container) === number,
  );
  if (port === undefined) return [];
  const url = urlOf(service, port.port, httpGet.path ?? '/', httpGet.scheme === 'HTTPS');
  return [{ url, source: `Service ${service.metadata.name} and the readiness probe of its pods` }];
}

/** A port of a container by its number or name. */
function portNumber(port: number | string, { ports = [] }: Container): number | undefined {
  if (typeof port === 'number') return port;
  const named = ports.find(({ name }) => name === port)?.containerPort;
  return named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}

/** Ports on which programs serve HTTP where nothing says so. */
const HTTP_PORTS: readonly number[] = [80, 3000, 5000, 8000, 8080];

/** Ports of protocols that are not HTTP: of databases, queues, mail, gRPC. */
const OTHER_PORTS: readonly number[] = [
  ...[
    22, 25, 53, 389, 1433, 1521, 1883, 2181, 2379, 3306, 4222, 5432, 5672, 6379, 9042, 9092, 11211, 27017,
    50051,
  ],
];

type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

/** The ports of a Service that HTTP is likely on, the likeliest first: those that look like it and are exposed, that look like it, that are exposed. */
function atPort(
  service: Service,
  { containers }: Workload,
  exposed: readonly ExposedPorts[],
): ProposedCheck[] {
  const ports = (service.spec?.ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map((port) => ({
      port: port.port,
      looks: looksLikeHttp(port, containers),
      source: exposed.find((one) => isExposed(port, one))?.source,
    }))
    .filter(({ looks, source }) => looks || source !== undefined);
  const likeliest = ports.toSorted((a, b) => rank(b) - rank(a))[0];
  if (likeliest === undefined) return [];
  const { port, looks, source } = likeliest;
  const why = looks ? 'looks like HTTP' : `is the one that ${source} exposes`;
  return [
    {
      url: urlOf(service, port, '/', false),
      source: `Service ${service.metadata.name}, whose port ${port} ${why}`,
    },
  ];
}

function rank({ looks, source }: { readonly looks: boolean; readonly source: string | undefined }): number {
  return (looks ? 2 : 0) + (source === undefined ? 0 : 1);
}

/** By its name, that of the port to which it leads, what it says of its protocol, or its number. */
function looksLikeHttp(
  { name = '', port, targetPort = port, appProtocol = '' }: ServicePort,
  containers: readonly Container[],
): boolean {
  const led = containers.flatMap(({ ports = [] }) =>
    ports.filter((one) => one.name === targetPort || one.containerPort === targetPort),
  );
  const names = [name, typeof targetPort === 'string' ? targetPort : '', ...led.map((one) => one.name ?? '')];
  return (
    names.some((one) => /^(?:http|web)\b/i.test(one)) || appProtocol === 'http' || HTTP_PORTS.includes(port)
  );
}

function isExposed({ port, targetPort = port }: ServicePort, { ports }: ExposedPorts): boolean {
  const number = Number(targetPort);
  return !OTHER_PORTS.includes(number) && ports.some(({ from, to }) => number >= from && number <= to);
}

function urlOf({ metadata }: Service, port: number, path: string, isTls: boolean): string {
  const host = `${metadata.name}.${metadata.namespace}.svc.cluster.local`;
  return `${isTls ? 'https' : 'http'}://${host}:${port}${path.startsWith('/') ? path : `/${path}`}`;
}
