import type { Random } from '@turnsole/kube/base/clock';
import type { InjectionTarget } from '../../api/index.ts';
import { TargetSelectionError } from '../injection/errors.ts';
import { samplePercentage } from './sample.ts';

/** The user's choice of nodes. */
export interface NodeRequest {
  /** One node (TARGET_NODE, label, node of an application pod) or a share of several. */
  readonly single: boolean;
  readonly targetNode: string;
  readonly targetNodes: readonly string[];
  readonly nodeLabel: string;
  readonly percentage: number;
}

/** The observed nodes of the cluster. */
interface ObservedNodes {
  /** Names of the nodes that exist: of those that were named, that NODE_LABEL asks for, or of all. */
  readonly nodes: readonly string[];
  /** Nodes of the application's pods, where they were asked for. */
  readonly appNodes: readonly string[];
}

/** Chooses the nodes to hit (compatibility reference, section 4.4). Pure; no node is chosen twice. */
export function selectNodes(
  request: NodeRequest,
  observed: ObservedNodes,
  random: Random,
): InjectionTarget[] {
  return names(request, observed, random).map((name) => ({ kind: 'node', name, node: name }));
}

function names(request: NodeRequest, observed: ObservedNodes, random: Random): readonly string[] {
  if (request.single) return [singleNode(request, observed, random)];
  if (request.targetNodes.length > 0) return named('TARGET_NODES', request.targetNodes, observed);
  if (observed.nodes.length === 0) throw new TargetSelectionError(`no node found${withLabel(request)}`);
  return samplePercentage(observed.nodes, request.percentage, random);
}

function singleNode(request: NodeRequest, observed: ObservedNodes, random: Random): string {
  if (request.targetNode !== '') {
    named('TARGET_NODE', [request.targetNode], observed);
    return request.targetNode;
  }
  const candidates = request.nodeLabel === '' ? observed.appNodes : observed.nodes;
  const node = candidates[Math.floor(random() * candidates.length)];
  if (node !== undefined) return node;
  throw new TargetSelectionError(
    request.nodeLabel === ''
      ? 'no node found: TARGET_NODE and NODE_LABEL are empty, and no pod of an application names one; set TARGET_NODE or ' +
          'NODE_LABEL, or give the ChaosEngine an appinfo or selectors whose pods run on the node'
      : `no node found${withLabel(request)}`,
  );
}

/** Each once, if all of them exist. */
function named(setting: string, wanted: readonly string[], { nodes }: ObservedNodes): readonly string[] {
  const missing = wanted.filter((name) => !nodes.includes(name));
  if (missing.length === 0) return [...new Set(wanted)];
  throw new TargetSelectionError(
    `cannot select ${setting}: there is no node named ${missing.join(', ')}; \`kubectl get nodes\` shows all`,
  );
}

function withLabel({ nodeLabel }: NodeRequest): string {
  return nodeLabel === '' ? '' : ` with label ${nodeLabel}`;
}
