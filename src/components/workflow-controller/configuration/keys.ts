import type { Container } from '@turnsole/kube/kinds/core';
import { parseDuration } from '@turnsole/kube/text/duration';
import { isObject } from '@turnsole/kube/text/json';
import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import type { ImageCommand } from '@turnsole/workflows/pods/settings';
import type { Configuration } from './configuration.ts';
import {
  count,
  duration,
  fields,
  flag,
  object,
  optional,
  positive,
  positiveCount,
  text,
  texts,
  ValueError,
} from './read-values.ts';

/** How a key is taken. */
type KeyRule =
  /** @throws ValueError for a value that cannot be honoured */
  | { readonly kind: 'read'; readonly read: (value: unknown) => Configuration }
  /** A key of another program, or without meaning here. `why` is logged where the value asks for something. */
  | { readonly kind: 'ignored'; readonly why?: string }
  /** Refused where the value asks for it. */
  | { readonly kind: 'refused'; readonly why: string; readonly asks: (value: unknown) => boolean };

const read = (reader: (value: unknown) => Configuration): KeyRule => ({ kind: 'read', read: reader });
const ignored = (why?: string): KeyRule => ({ kind: 'ignored', why });
const refused = (why: string, asks = isSomething): KeyRule => ({ kind: 'refused', why, asks });
const OF_SERVER = ignored();

/** Whether a value is more than nothing. */
function isSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false;
  return isObject(value) ? Object.values(value).some(isSomething) : !Array.isArray(value) || value.length > 0;
}

const isEnabled = (value: unknown): boolean => isObject(value) && value['enabled'] === true;

/** Every key that Argo's controller knows, and `plugins`, which is ours. */
export const KEYS: Readonly<Record<string, KeyRule>> = {
  instanceID: read((value) => ({ instanceId: text(value) })),
  namespace: read((value) => ({ namespace: text(value) })),
  initialDelay: read((value) => ({ initialDelayMs: parseDuration(duration(value)) })),
  workflowDefaults: read((value) => ({ workflowDefaults: object(value) })),
  parallelism: read((value) => ({ parallelism: count(value) })),
  namespaceParallelism: read((value) => ({ namespaceParallelism: count(value) })),
  resourceRateLimit: read((value) => {
    const { limit, burst } = fields(value, ['limit', 'burst']);
    return { podRate: { limit: positive(limit), burst: optional(burst, positiveCount) ?? 1 } };
  }),
  images: read((value) => ({ images: imagesOf(value) })),
  mainContainer: read((value) => ({ mainContainer: object(value) as Partial<Container> })),
  executor: read((value) => ({ executor: executorOf(value) })),
  artifactRepository: read((value) => ({ artifactRepository: object(value) })),
  podGCGracePeriodSeconds: read((value) => ({ podGcGraceSeconds: count(value) })),
  podGCDeleteDelayDuration: read((value) => ({ podGcDeleteDelay: duration(value) })),
  retentionPolicy: read((value) => {
    const { completed, failed, errored } = fields(value, ['completed', 'failed', 'errored']);
    const limits = [completed, failed, errored].map((limit) => optional(limit, count));
    return { retention: withoutUndefined({ completed: limits[0], failed: limits[1], errored: limits[2] }) };
  }),
  nodeEvents: read((value) => {
    const { enabled, sendAsPod } = fields(value, ['enabled', 'sendAsPod']);
    return {
      nodeEvents: withoutUndefined({ nodes: optional(enabled, flag), asPod: optional(sendAsPod, flag) }),
    };
  }),
  workflowEvents: read((value) => {
    const { enabled } = fields(value, ['enabled']);
    return { workflowEvents: withoutUndefined({ workflows: optional(enabled, flag) }) };
  }),
  // In place of the sidecars of an agent: servers that an administrator runs.
  plugins: read((value) => ({ plugins: pluginsOf(value) })),
  podSpecLogStrategy: read((value) => {
    const { failedPod, allPods } = fields(value, ['failedPod', 'allPods']);
    return {
      podSpecLog: withoutUndefined({
        failedPod: optional(failedPod, flag),
        allPods: optional(allPods, flag),
      }),
    };
  }),
  metricsConfig: read((value) => ({ metrics: metricsOf(value) })),

  containerRuntimeExecutor: ignored(),
  containerRuntimeExecutors: ignored(),
  links: OF_SERVER,
  columns: OF_SERVER,
  navColor: OF_SERVER,
  sso: OF_SERVER,
  telemetryConfig: ignored('the metrics of the process are on the page of metricsConfig'),
  initlessPod: ignored('pods have no init container of the engine where they need none'),
  disableAgentPodCreation: ignored('there are no agent pods: the controller does the work of http templates'),

  kubeConfig: refused(
    'the controller works in the cluster of its own credentials; start it with -kubeconfig FILE',
  ),
  persistence: refused('there is no archive and no storage of nodes in a database; remove the key'),
  synchronization: refused(
    'there are no locks in a database; semaphores are read from ConfigMaps; remove the key',
  ),
  workflowRestrictions: refused(
    'restrictions of templates are not enforced, so that a workflow could evade them; use an admission policy',
  ),
  failedPodRestart: refused('pods are not restarted by themselves; use retryStrategy', isEnabled),
  artifactDrivers: refused('artifact drivers as plugins are not supported'),
};

function imagesOf(value: unknown): Readonly<Record<string, ImageCommand>> {
  const images = Object.entries(object(value)).map(([image, given]) => {
    const { entrypoint, cmd, args } = fields(given, ['entrypoint', 'cmd', 'args']);
    const command = optional(entrypoint, texts);
    // `cmd` is what Docker calls so: arguments of the entry point.
    const rest = optional(args ?? cmd, texts);
    return [image, withoutUndefined({ entrypoint: command, args: rest }) as ImageCommand] as const;
  });
  return Object.fromEntries(images);
}

function pluginsOf(value: unknown): NonNullable<Configuration['plugins']> {
  const plugins = Object.entries(object(value)).map(([name, given]) => {
    const { url, tokenFile } = fields(given, ['url', 'tokenFile']);
    const address = text(url);
    if (!URL.canParse(address)) throw new ValueError(`plugin ${name}: ${address} is no URL`);
    return [name, { url: address, ...(tokenFile !== undefined && { tokenFile: text(tokenFile) }) }] as const;
  });
  return Object.fromEntries(plugins);
}

function executorOf(value: unknown): NonNullable<Configuration['executor']> {
  // Argo's own documentation has them all; a name says nothing, and another image has not our programs.
  const {
    name: _name,
    image,
    imagePullPolicy,
    resources,
  } = fields(value, ['name', 'image', 'imagePullPolicy', 'resources']);
  if (image !== undefined)
    throw new ValueError('the image of helpers is set by the flag -executor-image, not here');
  return withoutUndefined({
    imagePullPolicy: optional(imagePullPolicy, text) as Container['imagePullPolicy'],
    resources: optional(resources, object) as Container['resources'],
  });
}

function metricsOf(value: unknown): NonNullable<Configuration['metrics']> {
  const known = [
    'enabled',
    'path',
    'port',
    'secure',
    'metricsTTL',
    'ignoreErrors',
    'disableLegacy',
    'temporality',
    'modifiers',
  ] as const;
  const { enabled, path, port, secure, metricsTTL, disableLegacy, modifiers } = fields(value, known);
  if (optional(secure, flag) === true)
    throw new ValueError('secure: metrics are served without TLS; set it to false');
  if (isSomething(modifiers)) throw new ValueError('modifiers of metrics are not supported; remove them');
  const ttl = optional(metricsTTL, duration);
  return withoutUndefined({
    enabled: optional(enabled, flag),
    path: optional(path, text),
    port: optional(port, count),
    ttlMs: ttl === undefined ? undefined : parseDuration(ttl),
    withoutLegacy: optional(disableLegacy, flag),
  }) as NonNullable<Configuration['metrics']>;
}
