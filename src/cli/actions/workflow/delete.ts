import { systemClock } from '@turnsole/kube/base/clock';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ClusterOptions, ClusterSession } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { deleteOne } from '../../../services/objects.ts';
import { findWorkflows, listWorkflows } from '../../../services/workflows/find.ts';
import { isSelected, labelSelectorOf } from '../../../services/workflows/selection.ts';
import { type SelectionFlags, selectionOf } from './list.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow delete`. */
export interface DeleteOptions extends ClusterOptions, SelectionFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** Deletes workflows; their pods go with them. */
export function run(names: readonly string[], options: DeleteOptions): Promise<number> {
  refuseUnclear(names, options);
  const labelSelector = labelSelectorOf(options, options.selector);
  return onCluster(options, async (session, signal) => {
    const meant = await meantBy(names, options, labelSelector, session);
    if (meant.length === 0) console.error('no workflows found');
    for (const workflow of meant) {
      const title = `Workflow ${workflow.metadata.namespace}/${workflow.metadata.name}`;
      if (options.dryRun === true) console.log(`${title} would be deleted`);
      else {
        const wasThere = await deleteOne(session.client, WORKFLOWS, workflow, signal);
        console.log(wasThere ? `${title} was deleted` : `${title} was gone already`);
      }
    }
    return 0;
  });
}

/** @throws CommandError (bad input) when it is not said which workflows are meant */
function refuseUnclear(names: readonly string[], options: DeleteOptions): void {
  const { all = false, completed, resubmitted, older, status, prefix, selector, fieldSelector } = options;
  const conditions = [completed, resubmitted, older, status, prefix, selector, fieldSelector];
  const isSelecting = all || conditions.some((condition) => condition !== undefined);
  if (names.length > 0 === isSelecting)
    throw new CommandError(
      names.length > 0
        ? 'name workflows or select them, not both'
        : 'name workflows, or select them: --all, --completed, --older, --status, --prefix, --selector',
      'OPTION_INVALID',
    );
}

async function meantBy(
  names: readonly string[],
  options: DeleteOptions,
  labelSelector: string | undefined,
  { client, namespace }: ClusterSession,
): Promise<Workflow[]> {
  if (names.length > 0) return findWorkflows({ client, namespace }, names);
  const place = { client, namespace: options.allNamespaces === true ? undefined : namespace };
  const { fieldSelector } = options;
  const found = await listWorkflows(place, {
    labelSelector,
    fieldSelector,
  });
  return found.filter((workflow) => isSelected(workflow, selectionOf(options), systemClock.now()));
}
