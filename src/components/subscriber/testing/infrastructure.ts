/** A cluster with an infrastructure's objects, and subscribers that run in it, for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type Logger } from '@turnsole/kube/base/log';
import { isAlreadyExists, unless } from '@turnsole/kube/client/errors';
import type { ClusterConfig, KubeClient } from '@turnsole/kube/client/types';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  NAMESPACES,
  PODS,
  type Resource,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import type { PlanManifest } from '../commands/plan-request.ts';
import { runSubscriber } from '../run-subscriber.ts';

export const INFRA_ID = 'd0a3c4d2-0000-4000-8000-000000000001';
/** Before the confirmation. */
export const FIRST_KEY = 'abcdefghijklmnopqrstuvwxyz012345';

/** Makes the API server serve kinds with any fields, as many as a subscriber follows. */
export async function defineRunKinds(client: KubeClient): Promise<void> {
  for (const resource of [WORKFLOWS, CHAOS_ENGINES, CHAOS_RESULTS]) {
    await client.create<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(resource));
  }
}

/** A definition of a kind with any fields. */
export function definitionOf({ group, version, plural, kind }: Resource): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** The environment as the manifest of a server gives it. */
export function environment(namespace: string, url: string, spool: string): Record<string, string> {
  return {
    INFRA_ID,
    ACCESS_KEY: FIRST_KEY,
    SERVER_ADDR: url,
    IS_INFRA_CONFIRMED: 'false',
    INFRA_SCOPE: 'namespace',
    COMPONENTS: 'DEPLOYMENTS: ["app=workflow-controller"]',
    INFRA_NAMESPACE: namespace,
    VERSION: '3.31.0',
    START_TIME: '1000',
    SPOOL_DIR: spool,
  };
}

/** Makes the namespace of an infrastructure with its objects and a component that runs. */
export async function createInfrastructure(client: KubeClient, namespace: string): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  const place = { namespace };
  // Where a controller makes it, the controller may have been faster.
  await unless(isAlreadyExists, client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default' } }, place));
  const data = { IS_INFRA_CONFIRMED: 'false' };
  const stored = { ACCESS_KEY: Buffer.from(FIRST_KEY).toString('base64') };
  await client.create(CONFIG_MAPS, object('v1', 'ConfigMap', 'subscriber-config', { data }), place);
  await client.create(SECRETS, object('v1', 'Secret', 'subscriber-secret', { data: stored }), place);
  const spec = { containers: [{ name: 'main', image: 'none' }] };
  const labels = { app: 'workflow-controller' };
  await client.create(
    PODS,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'component', labels }, spec } as never,
    place,
  );
  const status = { phase: 'Running', containerStatuses: [{ name: 'main', ready: true }] };
  await client.patch(PODS, 'component', 'merge', { status }, { ...place, subresource: 'status' });
}

function object(apiVersion: string, kind: string, name: string, rest: object): never {
  // Test data: written as it is.
  return { apiVersion, kind, metadata: { name }, ...rest } as never;
}

/** A subscriber in this process. */
export interface RunningSubscriber extends AsyncDisposable {
  readonly lines: string[];
  readonly env: Record<string, string>;
  /** Ends it as SIGTERM does. */
  stop(): Promise<number>;
}

/** Starts a subscriber. @param change of its environment @param flags beside those that switch its servers off */
export async function startSubscriber(
  config: ClusterConfig,
  namespace: string,
  url: string,
  change: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  planManifest?: PlanManifest,
): Promise<RunningSubscriber> {
  const spool = await mkdtemp(join(tmpdir(), 'turnsole-subscriber-'));
  const env = { ...environment(namespace, url, spool), ...change };
  const ending = new AbortController();
  const lines: string[] = [];
  const logger: Logger = createLogger({
    component: 'subscriber',
    level: 'debug',
    write: (line) => lines.push(line),
  });
  const argv = ['-metrics-bind-address=0', '-health-probe-bind-address=0', ...flags];
  const ended = runSubscriber(argv, env, {
    ...{ config, logger, signal: ending.signal },
    ...(planManifest !== undefined && { planManifest }),
  });
  const stop = (): Promise<number> => {
    ending.abort(new Error('the test stops it'));
    return ended;
  };
  return {
    lines,
    env,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(spool, { recursive: true, force: true });
    },
  };
}
