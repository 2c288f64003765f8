import { podNameOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { isSuspended, nodesOf } from '../../../services/workflows/nodes.ts';
import { type TreeRow, treesOf } from '../../../services/workflows/tree.ts';
import { formatColumns } from '../columns.ts';
import type { Style } from '../style.ts';
import { durationOf } from './times.ts';

const SYMBOLS: Readonly<Record<NodeStatus['phase'], readonly [symbol: string, style: Parameters<Style>[0]]>> =
  {
    Pending: ['◷', 'yellow'],
    Running: ['●', 'cyan'],
    Succeeded: ['✔', 'green'],
    Skipped: ['○', 'dim'],
    Omitted: ['○', 'dim'],
    Failed: ['✖', 'red'],
    Error: ['⚠', 'red'],
  };
const SUSPENDED = ['ǁ', 'yellow'] as const;

/** How a node stands, as one character. Pure. */
export function symbolOf(node: NodeStatus, style: Style): string {
  const [symbol, format] = isSuspended(node) ? SUSPENDED : (SYMBOLS[node.phase] ?? ['?', 'dim']);
  return style(format, symbol);
}

/** Which parts of a tree are shown. */
interface TreeOptions {
  readonly nowMs: number;
  readonly style: Style;
  readonly isShown?: (node: NodeStatus) => boolean;
  /** Also artifacts and resources. */
  readonly isWide?: boolean;
}

const HEADER = ['STEP', 'TEMPLATE', 'PODNAME', 'DURATION', 'MESSAGE'];

/** The steps of a workflow as a tree, with what users of `argo get` know beside each; empty without steps. Pure. */
export function formatTree(workflow: Workflow, options: TreeOptions): string[] {
  const { isShown, isWide = false, style } = options;
  const trees = treesOf(workflow.metadata.name, nodesOf(workflow), isShown);
  if (trees.length === 0) return [];
  const header = isWide ? [...HEADER.slice(0, 4), 'ARTIFACTS', 'RESOURCES', 'MESSAGE'] : HEADER;
  const blank = header.map(() => '');
  const rows = trees.flatMap((rows, index) => [
    ...(index === 0 ? [] : [blank]),
    ...rows.map((row) => cellsOf(row, workflow, options)),
  ]);
  // Columns are laid out in plain text: colours have no width.
  const [head = '', ...lines] = formatColumns([header, ...rows]);
  const nodes = trees.flatMap((rows, index) => [
    ...(index === 0 ? [] : [undefined]),
    ...rows.map(({ node }) => node),
  ]);
  return [
    style('bold', head),
    ...lines.map((line, index) => {
      const node = nodes[index];
      const plain = node === undefined ? '' : symbolOf(node, (_format, text) => text);
      return node === undefined ? line : line.replace(plain, symbolOf(node, style));
    }),
  ];
}

function cellsOf(
  { branch, node }: TreeRow,
  workflow: Workflow,
  { nowMs, isWide = false }: TreeOptions,
): string[] {
  const template =
    node.templateRef === undefined
      ? node.templateName
      : `${node.templateRef.name}/${node.templateRef.template}`;
  const isLeaf =
    node.type === 'Pod' || node.type === 'HTTP' || node.type === 'Plugin' || node.type === 'Suspend';
  const step = ` ${branch}${symbolOf(node, (_format, text) => text)} ${node.displayName}`;
  const message = (node.message ?? '').split('\n')[0] ?? '';
  const cells = [step, template ?? '', podOf(node, workflow) ?? '', isLeaf ? durationOf(node, nowMs) : ''];
  return isWide ? [...cells, artifactsOf(node), resourcesOf(node), message] : [...cells, message];
}

/** The name of a node's pod; undefined for one that has none. Pure. */
function podOf(node: NodeStatus, workflow: Workflow): string | undefined {
  return node.type === 'Pod' ? podNameOf(workflow, node) : undefined;
}

function artifactsOf({ outputs }: NodeStatus): string {
  return (outputs?.artifacts ?? []).map(({ name }) => name).join(',');
}

function resourcesOf({ resourcesDuration = {} }: NodeStatus): string {
  return Object.entries(resourcesDuration)
    .map(([name, seconds]) => `${name} ${seconds}s`)
    .join(', ');
}
