import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { createLogger, waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { metaTime } from '@turnsole/kube/text/time';
import { createApiServer } from '../../apiserver/index.ts';
import { type StartControllersOptions, startControllers } from '../start.ts';

/** An API server with the controllers, without scheduler and nodes: what these do is done by hand. */
export class TestCluster {
  readonly client: KubeClient;

  constructor(client: KubeClient) {
    this.client = client;
  }

  async create<T extends KubeObject>(resource: Resource, object: T): Promise<T> {
    const namespace = resource.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
    return this.client.create<T>(resource, object, namespace === undefined ? {} : { namespace });
  }

  /** Resolves to the object when it is as wanted. */
  async object<T extends KubeObject>(
    resource: Resource,
    name: string,
    isWanted: (object: T) => boolean,
    namespace = 'default',
  ): Promise<T> {
    const place = resource.namespaced ? { namespace } : {};
    const found = await waitForObject<T>(
      this.client,
      resource,
      name,
      (object) => object !== undefined && isWanted(object),
      { ...place, timeoutMs: PATIENCE_MS },
    );
    if (found === undefined) throw new Error(`${resource.kind} ${name} is not there`);
    return found;
  }

  /** Resolves when the object does not exist any more. */
  async gone(resource: Resource, name: string, namespace = 'default'): Promise<void> {
    const place = resource.namespaced ? { namespace } : {};
    await waitForObject(this.client, resource, name, (object) => object === undefined, {
      ...place,
      timeoutMs: PATIENCE_MS,
    });
  }

  /** Resolves to all objects of a namespace when they are as wanted. */
  async list<T extends KubeObject>(
    resource: Resource,
    isWanted: (objects: readonly T[]) => boolean,
    namespace = 'default',
  ): Promise<readonly T[]> {
    return waitForList<T>(this.client, resource, isWanted, { namespace, timeoutMs: PATIENCE_MS });
  }

  /** Pods that are not terminating, once they are this many. */
  async pods(count: number, namespace = 'default'): Promise<readonly Pod[]> {
    const staying = (pods: readonly Pod[]) =>
      pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    return staying(await this.list<Pod>(PODS, (pods) => staying(pods).length === count, namespace));
  }

  /** Does what a node agent would: the pod runs and is ready. */
  async run(pod: Pod, change: Partial<NonNullable<Pod['status']>> = {}): Promise<Pod> {
    return this.setPodStatus(pod, {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: metaTime(Date.now()) }],
      ...change,
    });
  }

  async end(pod: Pod, phase: 'Succeeded' | 'Failed'): Promise<Pod> {
    return this.setPodStatus(pod, {
      phase,
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: metaTime(Date.now()) }],
    });
  }

  async setPodStatus(pod: Pod, status: NonNullable<Pod['status']>): Promise<Pod> {
    const { namespace = 'default', name } = pod.metadata;
    return this.client.patch<Pod>(PODS, name, 'merge', { status }, { namespace, subresource: 'status' });
  }

  /** Removes a pod that is going, as a node agent does when its containers have ended. */
  async bury(pod: Pod): Promise<void> {
    const { namespace = 'default', name } = pod.metadata;
    await this.client.delete(PODS, name, { namespace, gracePeriodSeconds: 0 });
  }

  /** Events with a reason, once at least one exists. */
  async events(reason: string, namespace = 'default'): Promise<readonly CoreEvent[]> {
    const isOf = (event: CoreEvent) => event.reason === reason;
    const events = await this.list<CoreEvent>(EVENTS, (all) => all.some(isOf), namespace);
    return events.filter(isOf);
  }
}

/** Starts an API server and the given controllers; everything ends with the test. */
export async function startTestCluster(
  test: TestContext,
  change: Partial<StartControllersOptions> & { readonly controllers?: boolean } = {},
): Promise<TestCluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-controllers-'));
  const server = createApiServer({ dataDir });
  await server.listen();
  const client = createClient(server.adminConfig);
  const logger = createLogger({
    component: 'controllers',
    level: 'error',
    write: (line) => test.diagnostic(line),
  });
  const running =
    change.controllers === false ? undefined : await startControllers({ client, logger, ...change });
  test.after(async () => {
    await running?.stop();
    client.close();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return new TestCluster(client);
}
