import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { parseTime } from '@turnsole/kube/text/time';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';

/** Stands for the workflow of a namespace that was created last. */
const LATEST = '@latest';

/** Where workflows are looked for; without a namespace in all of them. */
export interface Place {
  readonly client: KubeClient;
  readonly namespace: string | undefined;
}

/**
 * A workflow as the cluster has it; by its name, or `@latest`.
 *
 * @throws CommandError (bad input) when it does not exist
 */
export async function findWorkflow({ client, namespace = '' }: Place, name: string): Promise<Workflow> {
  if (name !== LATEST) {
    const found = await client.find<Workflow>(WORKFLOWS, name, { namespace });
    if (found !== undefined) return found;
    throw new CommandError(`there is no Workflow ${namespace}/${name}`, 'NOT_FOUND');
  }
  const [latest] = newestFirst(await listWorkflows({ client, namespace }));
  if (latest !== undefined) return latest;
  throw new CommandError(`there is no Workflow in namespace ${namespace}`, 'NOT_FOUND');
}

/**
 * The workflows of a place that the server selects.
 *
 * @throws CommandError (bad input) when the cluster has no such kind
 */
export async function listWorkflows(
  { client, namespace }: Place,
  selectors: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<Workflow[]> {
  const where = namespace === undefined ? {} : { namespace };
  try {
    return (await client.list<Workflow>(WORKFLOWS, { ...where, ...selectors })).items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = 'this cluster has no kind Workflow of argoproj.io; `turnsole install` brings it';
    throw new CommandError(message, 'NOT_FOUND', { cause: error });
  }
}

/** Several workflows by their names, or without names those that selectors match. */
export async function findWorkflows(
  place: Place,
  names: readonly string[],
  selectors: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<Workflow[]> {
  const isSelected = selectors.labelSelector !== undefined || selectors.fieldSelector !== undefined;
  if (names.length > 0 && isSelected)
    throw new CommandError('name workflows or select them, not both', 'OPTION_INVALID');
  if (names.length > 0) return allInOrder(names.map((name) => findWorkflow(place, name)));
  if (!isSelected) throw new CommandError('name workflows, or select them with --selector', 'OPTION_INVALID');
  return listWorkflows(place, selectors);
}

/** The workflow that was created last comes first. Pure. */
export function newestFirst(workflows: readonly Workflow[]): Workflow[] {
  const createdMs = ({ metadata }: Workflow): number => parseTime(metadata.creationTimestamp) ?? 0;
  return workflows.toSorted(
    (a, b) => createdMs(b) - createdMs(a) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}
