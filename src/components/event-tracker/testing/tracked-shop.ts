/** A cluster with an infrastructure, policies and workloads, and trackers that run in it, for tests. */

import { createLogger } from '@turnsole/kube/base/log';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import type { Deployment } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  NAMESPACES,
  SECRETS,
} from '@turnsole/kube/kinds/resources';
import { CUSTOM_RESOURCES } from '../../../api/crds.ts';
import {
  EVENT_TRACKER_POLICIES,
  type EventTrackerPolicy,
  type EventTrackerPolicySpec,
} from '../../../api/index.ts';
import { WORKFLOW_DEFINITIONS } from '../../../api/workflow-definitions.ts';
import { runEventTracker } from '../run-event-tracker.ts';

export const EXPERIMENT = '5f3c1f0e-0000-4000-8000-000000000001';
export const ACCESS_KEY = 'abcdefghijklmnopqrstuvwxyz012345';
export const INFRA_ID = 'd0a3c4d2-0000-4000-8000-000000000001';

/** Makes the API server serve the kinds that a tracker reads and creates. */
export async function defineKinds(client: KubeClient): Promise<void> {
  const definitions = [...CUSTOM_RESOURCES.map(({ definition }) => definition), ...WORKFLOW_DEFINITIONS];
  for (const definition of definitions) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
}

/** Makes a namespace; with a server, also the objects of an infrastructure. */
export async function createShop(client: KubeClient, namespace: string, url?: string): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  if (url === undefined) return;
  const place = { namespace };
  const data = { IS_INFRA_CONFIRMED: 'true', SERVER_ADDR: url, VERSION: '3.31.0' };
  const secret = Object.entries({ ACCESS_KEY, INFRA_ID }).map(([name, text]) => [
    name,
    Buffer.from(text).toString('base64'),
  ]);
  await client.create(CONFIG_MAPS, written({ metadata: { name: 'subscriber-config' }, data }), place);
  await client.create(
    SECRETS,
    written({ metadata: { name: 'subscriber-secret' }, data: Object.fromEntries(secret) }),
    place,
  );
}

/** Makes a policy. @param spec beside or instead of a trigger at each change of the image */
export function createPolicy(
  client: KubeClient,
  namespace: string,
  name: string,
  spec: Partial<EventTrackerPolicySpec> = {},
): Promise<EventTrackerPolicy> {
  const image = { key: 'spec.template.spec.containers[0].image', operator: 'Change' as const };
  const policy = {
    apiVersion: 'eventtracker.litmuschaos.io/v1',
    kind: 'EventTrackerPolicy',
    metadata: { name },
    spec: { condition_type: 'or' as const, conditions: [image], rollout: 'each' as const, ...spec },
  };
  return client.create<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, policy, { namespace });
}

/** Makes a workload that asks to be watched. */
export function createWorkload(
  client: KubeClient,
  namespace: string,
  name: string,
  annotations: Record<string, string> = {
    'litmuschaos.io/gitops': 'true',
    'litmuschaos.io/experimentId': EXPERIMENT,
  },
): Promise<Deployment> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:0' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return client.create<Deployment>(DEPLOYMENTS, written({ metadata: { name, labels, annotations }, spec }), {
    namespace,
  });
}

/** Changes the image of a workload, as a rollout does. */
export function setImage(
  client: KubeClient,
  namespace: string,
  name: string,
  image: string,
): Promise<Deployment> {
  const patch = { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
  return client.patch<Deployment>(DEPLOYMENTS, name, 'strategic', patch, { namespace });
}

/** Test data: written as it is. */
function written(object: object): never {
  return object as never;
}

/** A tracker in this process. */
export interface RunningTracker extends AsyncDisposable {
  readonly lines: string[];
  /** Ends it as SIGTERM does. */
  stop(): Promise<number>;
}

/** Starts a tracker. */
export function startTracker(
  by: { readonly config: ClusterConfig } | { readonly client: KubeClient },
  namespace: string,
  argv: readonly string[] = [],
): RunningTracker {
  const ending = new AbortController();
  const lines: string[] = [];
  const logger = createLogger({
    component: 'event-tracker',
    level: 'debug',
    write: (line) => lines.push(line),
  });
  const env = { INFRA_NAMESPACE: namespace, INFRA_SCOPE: 'namespace' };
  const off = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];
  const ended = runEventTracker([...off, ...argv], env, { ...by, logger, signal: ending.signal });
  const stop = (): Promise<number> => {
    ending.abort(new Error('the test stops it'));
    return ended;
  };
  return { lines, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
