import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthorizationV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  Log,
  loadYaml,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  type V1Deployment,
  Watch,
} from '@kubernetes/client-node';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { type ClientCluster, startClientCluster } from './harness.ts';
import { sleeper, WIDGET_DEFINITION } from './manifests.ts';
import { type CuttableProxy, startProxy } from './proxy.ts';

interface Widget extends KubernetesObject {
  spec: { size: number; color?: string };
  status?: { size?: number; ready?: boolean };
}

const WIDGETS = { group: 'shop.example.com', version: 'v1', plural: 'widgets' } as const;

/** Lines about what an informer or a watch reported, to be waited for. */
class ReportLog extends EventEmitter {
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
    this.emit('line');
  }

  /** Resolves when a line was added. */
  async has(line: string): Promise<void> {
    if (this.lines.includes(line)) return;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      for await (const _ of on(this, 'line', { signal })) if (this.lines.includes(line)) return;
    } catch (cause) {
      throw new Error(`waited for "${line}", was reported: ${this.lines.join('; ')}`, { cause });
    }
  }
}

/**
 * A controller as the library's users write them: an informer, a config map for each widget, and the widget's status.
 * An informer of this library stops at an error and has to be started again.
 */
class WidgetController {
  readonly log = new ReportLog();
  readonly informer: Informer<Widget> & ObjectCache<Widget>;
  readonly #core: CoreV1Api;
  readonly #custom: CustomObjectsApi;
  #isStopped = false;
  #work: Promise<void> = Promise.resolve();

  constructor(config: KubeConfig, namespace: string) {
    this.#core = config.makeApiClient(CoreV1Api);
    this.#custom = config.makeApiClient(CustomObjectsApi);
    const path = `/apis/shop.example.com/v1/namespaces/${namespace}/widgets`;
    // The library types lists of custom objects as `any`.
    const list = (): Promise<{ items: Widget[] }> =>
      this.#custom.listNamespacedCustomObject({ ...WIDGETS, namespace });
    this.informer = makeInformer<Widget>(config, path, list);
    this.informer.on('add', (widget) => this.#take('add', widget));
    this.informer.on('update', (widget) => this.#take('update', widget));
    this.informer.on('delete', (widget) => this.log.add(`delete ${widget.metadata?.name}`));
    this.informer.on('error', () => {
      // Stopping breaks the watch off, which is told as an error too.
      if (this.#isStopped) return;
      this.log.add('error');
      void this.informer.start();
    });
  }

  /** Resolves when the informer is stopped and everything heard of is worked off. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.informer.stop();
    await this.#work;
  }

  #take(verb: string, widget: Widget): void {
    this.#work = this.#work
      .then(() => this.#reconcile(widget))
      .then(() => this.log.add(`${verb} ${widget.metadata?.name} ${widget.spec.size}`))
      // Cut off in the middle: the next event comes with the state as it is then.
      .catch((error) => this.log.add(`failed ${String(error)}`));
  }

  async #reconcile({ metadata, spec }: Widget): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata ?? {};
    const owner = { apiVersion: 'shop.example.com/v1', kind: 'Widget', name, uid };
    const body = { metadata: { name, ownerReferences: [owner] }, data: { size: String(spec.size) } };
    try {
      await this.#core.createNamespacedConfigMap({ namespace, body });
    } catch (error) {
      if (!(error instanceof ApiException) || error.code !== 409) throw error;
      const found = await this.#core.readNamespacedConfigMap({ namespace, name });
      if (found.data?.size === body.data.size) return;
      await this.#core.replaceNamespacedConfigMap({
        namespace,
        name,
        body: { ...found, data: body.data },
      });
    }
    await this.#custom.patchNamespacedCustomObjectStatus(
      { ...WIDGETS, namespace, name, body: { status: { ready: true, size: spec.size } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  }
}

describe('a controller written with @kubernetes/client-node', { timeout: 60_000 }, () => {
  let cluster: ClientCluster;
  let proxy: CuttableProxy;
  let config: KubeConfig;

  before(async () => {
    cluster = await startClientCluster();
    proxy = await startProxy(Number(new URL(cluster.cluster.server).port));
    config = new KubeConfig();
    config.loadFromFile(cluster.cluster.kubeconfigPath);
    const [own] = config.clusters;
    assert.ok(own !== undefined);
    config.clusters = [{ ...own, server: `https://127.0.0.1:${proxy.port}` }];
    const body = loadYaml<V1CustomResourceDefinition>(WIDGET_DEFINITION);
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body });
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await cluster.close();
  });

  it('follows, acts, survives cut connections, and is cleaned up after', async (test) => {
    const namespace = await cluster.namespace();
    const custom = config.makeApiClient(CustomObjectsApi);
    const core = config.makeApiClient(CoreV1Api);
    const widget = (name: string, size: number): Promise<Widget> =>
      custom.createNamespacedCustomObject({
        ...WIDGETS,
        namespace,
        body: { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name }, spec: { size } },
      });
    await widget('early', 1);
    const controller = new WidgetController(config, namespace);
    const { informer, log } = controller;
    test.after(() => controller.stop());
    await informer.start();
    await log.has('add early 1');
    await widget('late', 2);
    await log.has('add late 2');
    await custom.patchNamespacedCustomObject(
      { ...WIDGETS, namespace, name: 'late', body: [{ op: 'replace', path: '/spec/size', value: 5 }] },
      setHeaderOptions('Content-Type', PatchStrategy.JsonPatch),
    );
    await log.has('update late 5');
    assert.deepEqual((await core.readNamespacedConfigMap({ namespace, name: 'late' })).data, { size: '5' });
    const found: Widget = await custom.getNamespacedCustomObjectStatus({
      ...WIDGETS,
      namespace,
      name: 'late',
    });
    assert.deepEqual(found.status, { ready: true, size: 5 });

    assert.ok(proxy.connections > 0);
    proxy.cut();
    await log.has('error');
    // What happens meanwhile is heard of after.
    await cluster.client.delete(
      { group: 'shop.example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true },
      'early',
      { namespace },
    );
    await log.has('delete early');
    await widget('again', 7);
    await log.has('add again 7');
    const names = informer.list().map(({ metadata }: Widget) => metadata?.name);
    assert.deepEqual(names.toSorted(), ['again', 'late']);
    await controller.stop();

    // The garbage collector takes what belonged to the deleted one.
    const left = async (): Promise<(string | undefined)[]> => {
      const { items } = await core.listNamespacedConfigMap({ namespace });
      return items.map(({ metadata }) => metadata?.name).toSorted();
    };
    const gone = new ReportLog();
    const stop = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { fieldSelector: 'metadata.name=early' },
      (type) => gone.add(type),
      () => gone.add('ended'),
    );
    if ((await left()).includes('early')) await gone.has('DELETED');
    stop.abort();
    assert.deepEqual(await left(), ['again', 'kube-root-ca.crt', 'late']);
  });

  it('works on objects of any kind', async () => {
    const namespace = await cluster.namespace();
    const objects = KubernetesObjectApi.makeApiClient(config);
    const manifest = loadYaml<V1Deployment>(sleeper('web', 1));
    manifest.metadata = { ...manifest.metadata, name: 'web', namespace };
    const header = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace } };
    await objects.create(manifest);
    await assert.rejects(
      objects.create(manifest),
      (error) => error instanceof ApiException && error.code === 409,
    );
    const patch: KubernetesObject & { spec: { replicas: number } } = { ...header, spec: { replicas: 0 } };
    const patched = await objects.patch(
      patch,
      undefined,
      undefined,
      'client-node',
      true,
      PatchStrategy.ServerSideApply,
    );
    assert.equal(patched.spec.replicas, 0);
    const read = await objects.read<V1Deployment>(header);
    assert.ok(read.metadata?.managedFields?.some(({ manager }) => manager === 'client-node'));
    assert.ok(read.metadata?.creationTimestamp instanceof Date);
    const { items } = await objects.list<V1Deployment>('apps/v1', 'Deployment', namespace);
    assert.equal(items.length, 1);
    await objects.delete(header);
    await assert.rejects(
      objects.read(header),
      (error) => error instanceof ApiException && error.code === 404,
    );
  });

  it('runs a job and reads its log', async () => {
    const namespace = await cluster.namespace();
    const containers = [{ name: 'main', image: 'busybox', command: ['echo', 'from a job'] }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    const body = { metadata: { name: 'once' }, spec: { template } };
    await config.makeApiClient(BatchV1Api).createNamespacedJob({ namespace, body });
    const seen = new ReportLog();
    const stop = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/pods`,
      { labelSelector: 'batch.kubernetes.io/job-name=once', allowWatchBookmarks: true },
      (type, pod) => seen.add(type === 'BOOKMARK' ? type : pod.status?.phase),
      () => seen.add('ended'),
    );
    await seen.has('Succeeded');
    stop.abort();
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace });
    const out = new PassThrough();
    await new Log(config).log(namespace, items[0]?.metadata?.name ?? '', 'main', out, { follow: true });
    assert.equal(await text(out), 'from a job\n');
  });

  it('reads versions, scales, and asks for rights', async () => {
    const namespace = await cluster.namespace();
    const apps = config.makeApiClient(AppsV1Api);
    const body = loadYaml<V1Deployment>(sleeper('web', 0));
    await apps.createNamespacedDeployment({ namespace, body });
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
    const scaled = await apps.replaceNamespacedDeploymentScale({
      namespace,
      name: 'web',
      body: { ...scale, spec: { replicas: 1 } },
    });
    assert.equal(scaled.spec?.replicas, 1);
    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: 'delete', resource: 'pods', namespace } } },
    });
    assert.equal(review.status?.allowed, true);
  });
});
