import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { CLUSTER_WORKFLOW_TEMPLATES, WORKFLOW_TEMPLATES } from '@turnsole/workflows/kinds/resources';
import type { WorkflowTemplateRef } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { listOrNone } from '../objects.ts';
import { libraryOf } from './template-library.ts';

/** Where templates are looked up. */
interface LibraryOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly signal?: AbortSignal;
}

/** All templates that workflows of a namespace may refer to, as they are now; none of those that may not be read. */
export async function clusterLibrary(options: LibraryOptions): Promise<TemplateLibrary> {
  const { namespace, signal } = options;
  const request = signal === undefined ? {} : { signal };
  const [own, ofCluster] = await Promise.all([
    readable(options.client, WORKFLOW_TEMPLATES, { ...request, namespace }),
    readable(options.client, CLUSTER_WORKFLOW_TEMPLATES, request),
  ]);
  return libraryOf([...own, ...ofCluster]);
}

async function readable(
  client: KubeClient,
  resource: Resource,
  request: { readonly namespace?: string; readonly signal?: AbortSignal },
): Promise<KubeObject[]> {
  try {
    const items = await listOrNone<KubeObject>(client, resource, request);
    // Items of a list carry neither.
    return items.map((item) => ({
      ...item,
      kind: resource.kind,
      apiVersion: `${resource.group}/${resource.version}`,
    }));
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** A reference in words: `WorkflowTemplate hello`. */
export function referenceText({ name, clusterScope }: WorkflowTemplateRef): string {
  return `${clusterScope === true ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'} ${name}`;
}
