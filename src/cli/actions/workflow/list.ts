import { systemClock } from '@turnsole/kube/base/clock';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { findWorkflow, listWorkflows, newestFirst } from '../../../services/workflows/find.ts';
import { parseNodeSelector } from '../../../services/workflows/node-selector.ts';
import { phaseText } from '../../../services/workflows/phase.ts';
import {
  isSelected,
  labelSelectorOf,
  type WorkflowSelection,
} from '../../../services/workflows/selection.ts';
import { styleFor } from '../../print/style.ts';
import { formatWorkflows } from '../../print/workflow/list.ts';
import { formatSummary } from '../../print/workflow/summary.ts';
import { formatTree } from '../../print/workflow/tree.ts';
import { listText, objectText, onCluster, print, withKind } from './session.ts';

/** Conditions as the command line gives them. */
export interface SelectionFlags extends Omit<WorkflowSelection, 'sinceMs' | 'olderMs'> {
  readonly since?: number;
  readonly older?: number;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly allNamespaces?: boolean;
}

/** Options of `turnsole workflow list`. */
export interface ListOptions extends ClusterOptions, SelectionFlags {
  readonly headers: boolean;
  readonly output?: 'name' | 'json' | 'yaml' | 'wide';
}

/** Options of `turnsole workflow get`. */
export interface GetOptions extends ClusterOptions {
  readonly nodeFieldSelector?: string;
  readonly status?: readonly string[];
  readonly output?: 'name' | 'json' | 'yaml' | 'short' | 'wide';
}

/** Lists workflows. */
export function list(options: ListOptions): Promise<number> {
  const labelSelector = labelSelectorOf(options, options.selector);
  return onCluster(options, async ({ client, namespace }) => {
    const place = { client, namespace: options.allNamespaces === true ? undefined : namespace };
    const { fieldSelector } = options;
    const found = await listWorkflows(place, {
      labelSelector,
      fieldSelector,
    });
    const nowMs = systemClock.now();
    const meant = newestFirst(found.filter((workflow) => isSelected(workflow, selectionOf(options), nowMs)));
    if (options.output !== undefined && options.output !== 'wide') {
      print(listText(meant, WORKFLOWS, options.output));
      return 0;
    }
    const withNamespace = options.allNamespaces === true;
    const look = { nowMs, withNamespace, isWide: options.output === 'wide', withHeader: options.headers };
    if (meant.length === 0) console.error('no workflows found');
    else for (const line of formatWorkflows(meant, look)) console.log(line);
    return 0;
  });
}

/** The conditions of the command line as those of the services. Pure. */
export function selectionOf({ since, older, ...selection }: SelectionFlags): WorkflowSelection {
  return {
    ...selection,
    sinceMs: since,
    olderMs: older,
  };
}

/** Shows workflows with their trees. */
export function get(names: readonly string[], options: GetOptions): Promise<number> {
  const isShown = shownNodes(options);
  return onCluster(options, async ({ client, namespace }) => {
    for (const [index, name] of names.entries()) {
      const workflow = withKind(await findWorkflow({ client, namespace }, name), WORKFLOWS);
      const { output } = options;
      if (output === 'json' || output === 'yaml' || output === 'name') {
        print(objectText(workflow, output));
        continue;
      }
      if (output === 'short') {
        print(`${workflow.metadata.name}  ${phaseText(workflow)}`);
        continue;
      }
      const nowMs = systemClock.now();
      const look = { nowMs, style: styleFor(process.stdout), isWide: output === 'wide' };
      if (index > 0) console.log('');
      for (const line of formatSummary(workflow, nowMs)) console.log(line);
      const tree = formatTree(workflow, { ...look, isShown });
      if (tree.length > 0) console.log(`\n${tree.join('\n')}`);
    }
    return 0;
  });
}

function shownNodes({ nodeFieldSelector, status }: GetOptions): ((node: NodeStatus) => boolean) | undefined {
  if (nodeFieldSelector === undefined && status === undefined) return undefined;
  const isMeant = nodeFieldSelector === undefined ? () => true : parseNodeSelector(nodeFieldSelector);
  return (node) => isMeant(node) && (status === undefined || status.includes(node.phase));
}
