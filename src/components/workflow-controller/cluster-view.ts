import { isRefused } from '@turnsole/kube/client/errors';
import type { ConfigMap, KubeObject, Namespace, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { Informer, type Source } from '@turnsole/kube/runtime/index';
import type { InformerOptions } from '@turnsole/kube/runtime/informer';
import { indexByNamespace } from '@turnsole/kube/runtime/store';
import { DEFAULT_REPOSITORIES } from '@turnsole/workflows/artifacts/repository';
import { decodeWorkflowTemplate } from '@turnsole/workflows/kinds/decode/workflow';
import { LABEL_COMPLETED, LABEL_INSTANCE_ID, LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import {
  CLUSTER_WORKFLOW_TEMPLATES,
  WORKFLOW_TASK_RESULTS,
  WORKFLOW_TEMPLATES,
  WORKFLOWS,
} from '@turnsole/workflows/kinds/resources';
import type { WorkflowTaskResult } from '@turnsole/workflows/kinds/tasks';
import type { Workflow, WorkflowTemplate } from '@turnsole/workflows/kinds/workflow';
import { CRON_INDEXES } from './cron/children.ts';
import { BY_WORKFLOW, workflowKey } from './pod-source.ts';
import { slimPod, slimWorkflow } from './slim-objects.ts';

/** Says what a ConfigMap is for: values of parameters, or outputs that are kept (memoization). */
const LABEL_CONFIG_MAP_TYPE = 'workflows.argoproj.io/configmap-type';
/** Namespace: how many of its workflows may run at the same time. */
const LABEL_PARALLELISM = 'workflows.argoproj.io/parallelism-limit';
const BY_NAMESPACE = 'namespace';

export interface ClusterViewOptions extends BasicsWithRandom {
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Workflows with this instance id, or, when empty, those without one. */
  readonly instanceId: string;
}

/** The controller's local copies. */
export class ClusterView {
  readonly workflows: Informer<Workflow>;
  readonly pods: Informer<Pod>;
  readonly results: Informer<WorkflowTaskResult>;
  readonly #templates: Informer<WorkflowTemplate>;
  readonly #clusterTemplates: Informer<WorkflowTemplate>;
  readonly #parameters: Informer<ConfigMap>;
  readonly #repositories: Informer<ConfigMap>;
  readonly #limitedNamespaces: Informer<Namespace>;
  readonly #options: ClusterViewOptions;
  #present: readonly Informer<KubeObject>[] = [];

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    const instance = instanceSelector(options.instanceId);
    this.workflows = this.#informer({
      resource: WORKFLOWS,
      labelSelector: instance,
      transform: slimWorkflow,
      indexes: CRON_INDEXES,
    });
    this.pods = this.#informer({
      resource: PODS,
      labelSelector: `${LABEL_WORKFLOW},${LABEL_COMPLETED}=false,${instance}`,
      transform: slimPod,
      indexes: { [BY_WORKFLOW]: (pod) => [workflowKey(pod)] },
    });
    this.results = this.#informer({
      resource: WORKFLOW_TASK_RESULTS,
      labelSelector: LABEL_WORKFLOW,
      indexes: { [BY_WORKFLOW]: (result) => [workflowKey(result)] },
    });
    const library = {
      transform: decodeWorkflowTemplate,
      indexes: { [BY_NAMESPACE]: indexByNamespace },
    };
    this.#templates = this.#informer({ resource: WORKFLOW_TEMPLATES, ...library });
    this.#clusterTemplates = this.#informer({ resource: CLUSTER_WORKFLOW_TEMPLATES, ...library });
    this.#parameters = this.#informer<ConfigMap>({
      resource: CONFIG_MAPS,
      labelSelector: `${LABEL_CONFIG_MAP_TYPE}=Parameter`,
      indexes: { [BY_NAMESPACE]: indexByNamespace },
    });
    this.#repositories = this.#informer<ConfigMap>({
      resource: CONFIG_MAPS,
      fieldSelector: `metadata.name=${DEFAULT_REPOSITORIES}`,
    });
    this.#limitedNamespaces = this.#informer<Namespace>({
      resource: NAMESPACES,
      labelSelector: LABEL_PARALLELISM,
    });
  }

  #informer<T extends KubeObject>(options: Omit<InformerOptions<T>, 'client'>): Informer<T> {
    const { namespace } = this.#options;
    return new Informer<T>({
      ...this.#options,
      namespace: namespace === '' || options.resource.namespaced === false ? undefined : namespace,
      ...options,
    });
  }

  /**
   * Begins to follow. Workflows and pods have to be served. Of the other resources, the view keeps asking for those that the role may not
   * list or the cluster does not have, and takes them as empty until then.
   */
  async start(signal?: AbortSignal): Promise<void> {
    for (const informer of this.#all) informer.start();
    const optional = [
      this.results,
      this.#templates,
      this.#clusterTemplates,
      this.#parameters,
      this.#repositories,
      this.#limitedNamespaces,
    ];
    const present = await Promise.all(optional.map((informer) => this.#isServed(informer.resource, signal)));
    this.#present = [
      this.workflows as unknown as Informer<KubeObject>,
      this.pods as unknown as Informer<KubeObject>,
      ...optional.filter((_, index) => present[index]).map((one) => one as unknown as Informer<KubeObject>),
    ];
    await Promise.all(this.#present.map((informer) => informer.whenSynced(signal)));
  }

  async #isServed(resource: Resource, signal: AbortSignal | undefined): Promise<boolean> {
    const { client, namespace, logger } = this.#options;
    const place = namespace === '' || !resource.namespaced ? {} : { namespace };
    try {
      await client.list(resource, { ...place, limit: 1, signal });
      return true;
    } catch (error) {
      if (!isRefused(error)) throw error;
      logger.warn({ resource: resource.plural, detail: error.message }, 'workflows do without this kind');
      return false;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((informer) => informer.stop()));
  }

  /** Throws with the reason when the copies are not complete. */
  checkReady(): void {
    for (const { hasSynced, resource } of [this.workflows, this.pods])
      if (!hasSynced) throw new Error(`the list of ${resource.plural} is not complete yet`);
  }

  /** WorkflowTemplates of a namespace, by name. */
  templates(namespace: string): ReadonlyMap<string, WorkflowTemplate> {
    return byName(this.#templates.lister.byIndex(BY_NAMESPACE, namespace));
  }

  clusterTemplates(): ReadonlyMap<string, WorkflowTemplate> {
    return byName(this.#clusterTemplates.lister.list());
  }

  /** Data of the ConfigMaps for parameters of a namespace, by name. */
  parameters(namespace: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
    const maps = this.#parameters.lister.byIndex(BY_NAMESPACE, namespace);
    return new Map(maps.map(({ metadata, data = {} }) => [metadata.name, data]));
  }

  /** The ConfigMap with the artifact repositories of a namespace. */
  repositories(namespace: string): ConfigMap | undefined {
    return this.#repositories.lister.get(`${namespace}/${DEFAULT_REPOSITORIES}`);
  }

  /** How many workflows of a namespace may run at the same time, as its label says. */
  parallelismOf(namespace: string): number | undefined {
    const text = this.#limitedNamespaces.lister.get(namespace)?.metadata.labels?.[LABEL_PARALLELISM] ?? '';
    return /^\d+$/.test(text) ? Number(text) : undefined;
  }

  /** Pods of a workflow whose node is not recorded yet. */
  podsOf(key: string): Pod[] {
    return this.pods.lister.byIndex(BY_WORKFLOW, key);
  }

  resultsOf(key: string): WorkflowTaskResult[] {
    return this.results.lister.byIndex(BY_WORKFLOW, key);
  }

  /** Makes the controller wait for all copies. */
  get synced(): Source {
    return {
      subscribe: () => () => {},
      whenSynced: async (signal) => {
        await Promise.all(this.#present.map((informer) => informer.whenSynced(signal)));
      },
    };
  }

  get #all(): readonly { start(): void; stop(): Promise<void> }[] {
    return [
      this.workflows,
      this.pods,
      this.results,
      this.#templates,
      this.#clusterTemplates,
      this.#parameters,
      this.#repositories,
      this.#limitedNamespaces,
    ];
  }
}

/** Selects the objects of a controller: those with its instance id, or, when that is empty, those without one. Pure. */
export function instanceSelector(instanceId: string): string {
  return instanceId === '' ? `!${LABEL_INSTANCE_ID}` : `${LABEL_INSTANCE_ID}=${instanceId}`;
}

function byName<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}
