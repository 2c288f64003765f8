import { isDeepStrictEqual } from 'node:util';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { RecordedNode, Recording } from './recording.ts';
import type { Replayed } from './replay.ts';

/** The fields that are compared. Times, hosts and resources are those of the machine of the recording. */
const FIELDS = [
  'id',
  'displayName',
  'type',
  'phase',
  'message',
  'templateName',
  'templateRef',
  'templateScope',
  'progress',
  'nodeFlag',
  'inputs',
  'outputs',
  'memoizationStatus',
  'taskResultSynced',
  'boundary',
  'children',
  'outboundNodes',
] as const;

/** Where a replayed recording first differs; undefined where it is equal. */
export function firstDifference(recording: Recording, { run, pods, error }: Replayed): string | undefined {
  if (error !== undefined)
    return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return (
    differenceOfNodes(recording, run.nodes) ??
    differenceOfStatus(recording, run.status) ??
    differenceOfPods(recording, pods)
  );
}

/** A workflow that is refused has no node and says why. */
export function differenceOfRefused({ status, nodes }: Recording, text: string): string | undefined {
  const message = `invalid spec: ${text}`;
  if (status.message !== message)
    return `status.message is ${JSON.stringify(message)}, recorded ${JSON.stringify(status.message)}`;
  return nodes.length === 0 ? undefined : `is refused, but has ${nodes.length} nodes in the recording`;
}

/** A workflow that belongs to another controller is left as it is. */
export function differenceOfUntouched({ status, nodes }: Recording): string | undefined {
  if (nodes.length > 0) return `is left alone, but has ${nodes.length} nodes in the recording`;
  return status.phase === undefined ? undefined : `is left alone, but is ${status.phase} in the recording`;
}

function differenceOfNodes(recording: Recording, nodes: ReadonlyMap<string, NodeStatus>): string | undefined {
  const actual = new Map([...nodes.values()].map((node) => [node.name, node]));
  const nameOf = (id: string): string => nodes.get(id)?.name ?? `(${id})`;
  for (const expected of recording.nodes) {
    const node = actual.get(expected.name);
    if (node === undefined) return `node ${expected.name} is missing`;
    const difference = differenceOfFields(expected, normalised(node, nameOf));
    if (difference !== undefined) return `node ${expected.name}: ${difference}`;
  }
  const names = new Set(recording.nodes.map(({ name }) => name));
  const added = [...actual.keys()].find((name) => !names.has(name));
  return added === undefined ? undefined : `node ${added} is not in the recording`;
}

function normalised(node: NodeStatus, nameOf: (id: string) => string): RecordedNode {
  const { boundaryID, children, outboundNodes, ...rest } = node;
  return {
    ...rest,
    ...(boundaryID !== undefined && { boundary: nameOf(boundaryID) }),
    ...(children && { children: children.map(nameOf) }),
    ...(outboundNodes && { outboundNodes: outboundNodes.map(nameOf) }),
  };
}

function differenceOfFields(expected: RecordedNode, actual: RecordedNode): string | undefined {
  for (const field of FIELDS) {
    const [want, have] = [plain(expected[field]), plain(actual[field])];
    if (!isDeepStrictEqual(want, have))
      return `${field} is ${JSON.stringify(have)}, recorded ${JSON.stringify(want)}`;
  }
  return undefined;
}

/** `workflow.duration`: how long it took there; times within texts. */
const DURATION = /\d+\.\d{6}(?!\d)/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** Fields without a value are as good as not there; addresses were replaced in the recording. */
export function plain(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value).replaceAll(DURATION, '<seconds>').replaceAll(TIME, '<time>'));
}

function differenceOfStatus({ status }: Recording, actual: Replayed['run']['status']): string | undefined {
  for (const field of ['phase', 'message', 'progress', 'outputs'] as const) {
    const [want, have] = [plain(status[field]), plain(actual[field] === '' ? undefined : actual[field])];
    if (!isDeepStrictEqual(want, have)) {
      return `status.${field} is ${JSON.stringify(have)}, recorded ${JSON.stringify(want)}`;
    }
  }
  return undefined;
}

const COMPARED_LABELS = ['workflows.argoproj.io/workflow', 'workflows.argoproj.io/on-exit'];

function differenceOfPods({ pods, nodes }: Recording, created: Replayed['pods']): string | undefined {
  const actual = new Map(created.map((pod) => [pod.podName, pod]));
  const recordedPods = nodes.filter(({ type }) => type === 'Pod').map(({ id }) => id);
  for (const pod of pods) {
    const have = actual.get(pod.name);
    const agent = pod.labels['workflows.argoproj.io/component'] === 'agent';
    if (agent) continue;
    if (have === undefined) return `pod ${pod.name} was not created`;
    for (const label of COMPARED_LABELS) {
      if (pod.labels[label] !== have.labels[label])
        return `pod ${pod.name}: label ${label} is ${have.labels[label]}`;
    }
  }
  const names = new Set(pods.map(({ name }) => name));
  // The recorder did not see every pod that was deleted while it was pending.
  const known = new Set(recordedPods);
  const added = created.find((pod) => !names.has(pod.podName) && !known.has(pod.node));
  return added === undefined ? undefined : `pod ${added.podName} was created, but not in the recording`;
}
