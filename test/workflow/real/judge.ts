import { isDeepStrictEqual } from 'node:util';
import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { plain } from '../recordings/compare.ts';
import type { RecordedNode, Recording } from '../recordings/recording.ts';
import type { Expected } from './examples.ts';

/** What is wrong with the end of a workflow; undefined when nothing is. Pure. */
export function problemOf(
  workflow: Workflow,
  expected: Expected,
  recording: Recording | undefined,
): string | undefined {
  const { phase, message = '' } = workflow.status ?? {};
  const nodes = Object.values(workflow.status?.nodes ?? {});
  if (!endsAsExpected(phase, expected)) {
    return `ended ${phase} instead of ${wanted(expected)}: ${message}${described(nodes)}`;
  }
  const open = nodes.find((node) => !isOver(node));
  if (open !== undefined) return `ended while node ${open.name} is ${open.phase}`;
  if (recording === undefined || expected === 'random' || expected === 'either') return undefined;
  // A recording that ended otherwise did so for reasons of the machine that it was made on.
  return recording.status.phase === expected ? firstDifference(recording, workflow) : undefined;
}

function endsAsExpected(phase: string | undefined, expected: Expected): boolean {
  if (expected === 'either') return phase === 'Succeeded' || phase === 'Failed';
  return phase === wanted(expected);
}

function wanted(expected: Expected): string {
  if (expected === 'either') return 'Succeeded or Failed';
  return expected === 'random' ? 'Succeeded' : expected;
}

function isOver({ phase, daemoned = false }: NodeStatus): boolean {
  return daemoned || (phase !== 'Pending' && phase !== 'Running');
}

/** The nodes that did not succeed, for the one who reads the score. */
function described(nodes: readonly NodeStatus[]): string {
  return nodes
    .filter(({ phase }) => !['Succeeded', 'Skipped', 'Omitted'].includes(phase))
    .map(({ name, type, phase, message = '' }) => `\n      ${type} ${name} ${phase} ${message}`)
    .join('');
}

function firstDifference({ nodes, status }: Recording, workflow: Workflow): string | undefined {
  const message = plain(workflow.status?.message || undefined);
  if (!isDeepStrictEqual(message, plain(status.message))) {
    return `message is ${JSON.stringify(message)}, recorded ${JSON.stringify(status.message)}`;
  }
  const actual = new Map(Object.values(workflow.status?.nodes ?? {}).map((node) => [node.name, node]));
  for (const recorded of nodes) {
    const node = actual.get(recorded.name);
    if (node === undefined) return `node ${recorded.name} is missing`;
    const difference = differenceOfNode(recorded, node);
    if (difference !== undefined) return `node ${recorded.name}: ${difference}`;
  }
  const names = new Set(nodes.map(({ name }) => name));
  const added = [...actual.keys()].find((name) => !names.has(name));
  return added === undefined ? undefined : `node ${added} is not in the recording`;
}

function differenceOfNode(recorded: RecordedNode, node: NodeStatus): string | undefined {
  for (const field of [
    'id',
    'displayName',
    'type',
    'phase',
    'message',
    'templateName',
    'progress',
  ] as const) {
    const [want, have] = [plain(recorded[field]), plain(node[field])];
    if (!isDeepStrictEqual(want, have))
      return `${field} is ${JSON.stringify(have)}, recorded ${JSON.stringify(want)}`;
  }
  const [want, have] = [comparable(recorded.outputs as Outputs | undefined), comparable(node.outputs)];
  if (isDeepStrictEqual(want, have)) return undefined;
  return `outputs are ${JSON.stringify(have)}, recorded ${JSON.stringify(want)}`;
}

/** Of artifacts the names: where they are is a matter of the repository. */
function comparable(outputs: Outputs | undefined): unknown {
  if (outputs === undefined) return undefined;
  const { artifacts, ...rest } = outputs;
  return plain({ ...rest, ...(artifacts && { artifacts: artifacts.map(({ name }) => name) }) });
}
