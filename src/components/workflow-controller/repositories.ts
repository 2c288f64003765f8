import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import { ArtifactError } from '@turnsole/workflows/artifacts/artifact-error';
import {
  type ArtifactRepository,
  DEFAULT_REPOSITORIES,
  readRepository,
  repositoryKey,
} from '@turnsole/workflows/artifacts/repository';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { parse } from 'yaml';
import type { ClusterView } from './cluster-view.ts';

/** The artifact repository of a workflow, and the reference to it in the status. */
export interface WorkflowRepository {
  readonly repository: ArtifactRepository;
  /** `status.artifactRepositoryRef`, from which clients build the addresses of artifacts. */
  readonly reference: Readonly<Record<string, unknown>>;
}

interface RepositoriesParts {
  readonly client: KubeClient;
  readonly view: ClusterView;
  /** The controller's: used when a workflow's own namespace has no such ConfigMap. */
  readonly ownNamespace: string;
  /** The repository of the configuration. */
  readonly configured: () => unknown;
}

/** The artifact repositories of workflows. What was resolved once is stored in the status, so that an edit does not reach it. */
export class Repositories {
  readonly #parts: RepositoriesParts;

  constructor(parts: RepositoriesParts) {
    this.#parts = parts;
  }

  /** @throws ArtifactError when the repository that a workflow names is not there, or cannot be used */
  async of(
    workflow: Workflow,
    spec: WorkflowSpec,
    signal: AbortSignal,
  ): Promise<WorkflowRepository | undefined> {
    const stored = workflow.status?.artifactRepositoryRef;
    if (isObject(stored)) return found(stored['artifactRepository'], stored, 'status.artifactRepositoryRef');
    const reference = isObject(spec.artifactRepositoryRef) ? spec.artifactRepositoryRef : undefined;
    const name = textOf(reference?.['configMap']) ?? DEFAULT_REPOSITORIES;
    const key = textOf(reference?.['key']);
    const map = await this.#map(workflow.metadata.namespace ?? '', name, signal);
    if (map !== undefined && (reference !== undefined || hasDefault(map))) {
      const chosen = repositoryKey({ configMap: name, ...(key && { key }) }, map);
      const where = `ConfigMap ${map.metadata.namespace}/${name}, key ${chosen}`;
      const value = read(map.data?.[chosen] ?? '', where);
      const { namespace } = map.metadata;
      return found(value, { configMap: name, key: chosen, namespace, artifactRepository: value }, where);
    }
    if (reference !== undefined)
      throw new ArtifactError(
        `there is no ConfigMap ${name} with artifact repositories in namespace ${workflow.metadata.namespace}`,
      );
    const configured = this.#parts.configured();
    return found(configured, { default: true, artifactRepository: configured }, 'artifactRepository');
  }

  async #map(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap | undefined> {
    const { client, view, ownNamespace } = this.#parts;
    if (name === DEFAULT_REPOSITORIES) return view.repositories(namespace) ?? view.repositories(ownNamespace);
    const here = await client.find<ConfigMap>(CONFIG_MAPS, name, { namespace, signal });
    if (here !== undefined || ownNamespace === '' || ownNamespace === namespace) return here;
    return await client.find<ConfigMap>(CONFIG_MAPS, name, { namespace: ownNamespace, signal });
  }
}

function hasDefault({ metadata }: ConfigMap): boolean {
  return metadata.annotations?.['workflows.argoproj.io/default-artifact-repository'] !== undefined;
}

function found(
  value: unknown,
  reference: Readonly<Record<string, unknown>>,
  where: string,
): WorkflowRepository | undefined {
  const repository = readRepository(value, where);
  return repository && { repository, reference };
}

function read(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ArtifactError(`${where} holds no YAML: ${messageOf(error)}`, { cause: error });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
