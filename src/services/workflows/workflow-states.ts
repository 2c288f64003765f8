import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { ChaosEngine } from '../../api/index.ts';
import { listOrNone } from '../objects.ts';
import { clusterLibrary } from './cluster-library.ts';
import { enginesOf } from './engines-of.ts';
import { newestFirst } from './find.ts';
import { hasEnded, phaseText } from './phase.ts';

/** The state of a workflow, with its present engines. */
export interface WorkflowState {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly progress?: string;
  readonly message?: string;
  /** `namespace/name`. */
  readonly engines: readonly string[];
}

/**
 * The workflows of a namespace (or of all) that have not ended, and those that have and whose engines are still there. None where the
 * cluster has no such kind, or they may not be read.
 */
export async function workflowStates(
  client: KubeClient,
  scope: string | undefined,
  engines: readonly ChaosEngine[],
): Promise<WorkflowState[]> {
  const workflows = await readable(client, scope);
  const libraries = new Map<string, Promise<TemplateLibrary>>();
  const libraryFor = (namespace: string): Promise<TemplateLibrary> => {
    const known = libraries.get(namespace) ?? clusterLibrary({ client, namespace });
    libraries.set(namespace, known);
    return known;
  };
  const states = await Promise.all(
    newestFirst(workflows).map(async (workflow) => {
      // `turnsole workflow list` shows those that have ended and have no engine in the cluster.
      if (hasEnded(workflow) && engines.length === 0) return [];
      const of = enginesOf(workflow, await libraryFor(workflow.metadata.namespace ?? ''));
      const own = engines.filter((engine) => of.has(engine));
      return hasEnded(workflow) && own.length === 0 ? [] : [stateOf(workflow, own)];
    }),
  );
  return states.flat();
}

function stateOf(workflow: Workflow, engines: readonly ChaosEngine[]): WorkflowState {
  const { metadata, status = {} } = workflow;
  const { progress, message } = status;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    phase: phaseText(workflow),
    ...(progress !== undefined && { progress }),
    ...(message !== undefined && message !== '' && { message }),
    engines: engines.map((engine) => `${engine.metadata.namespace}/${engine.metadata.name}`),
  };
}

async function readable(client: KubeClient, namespace: string | undefined): Promise<Workflow[]> {
  try {
    return await listOrNone<Workflow>(client, WORKFLOWS, namespace === undefined ? {} : { namespace });
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}
