import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import {
  ANNOTATION_NODE_ID,
  ANNOTATION_NODE_NAME,
  LABEL_COMPLETED,
  LABEL_ON_EXIT,
  LABEL_WORKFLOW,
} from '../../kinds/labels.ts';
import type { NodeStatus } from '../../kinds/status.ts';
import type { Template } from '../../kinds/template.ts';
import type { CreatePod } from '../change.ts';
import { isOnExit, mayStart } from '../concerns/shutdown.ts';
import { podDeadline } from '../concerns/timeouts.ts';
import type { Draft } from '../draft.ts';
import { frameOf, podNameOf, stepName } from '../frame-of.ts';
import { createContainers } from './container-set.ts';

/** Begins a node with a pod: container, script, containerSet, resource, data. */
export function beginPod(draft: Draft, node: NodeStatus): void {
  const { shutdown } = draft.run.controls;
  if (!mayStart(draft, node)) {
    const message = `workflow shutdown with strategy: ${shutdown}`;
    draft.end(node, 'Failed', message, { taskResultSynced: true });
    return;
  }
  const { template } = frameOf(draft, node);
  const action = createPod(draft, node, template);
  const isReporting = action.mustReport && template.daemon !== true;
  const current = isReporting ? draft.update(node, { taskResultSynced: false }) : node;
  createContainers(draft, current, template);
  draft.actions.push(action);
}

/** The pod of a node as it is to be. */
export function createPod(draft: Draft, node: NodeStatus, template: Template): CreatePod {
  const wantsResult = isResultWanted(draft, node, template);
  return {
    kind: 'createPod',
    node: node.id,
    podName: podNameOf(draft, node),
    template,
    labels: {
      [LABEL_WORKFLOW]: draft.workflowName,
      [LABEL_COMPLETED]: 'false',
      ...(isOnExit(node) && { [LABEL_ON_EXIT]: 'true' }),
    },
    annotations: { [ANNOTATION_NODE_ID]: node.id, [ANNOTATION_NODE_NAME]: node.name },
    wantsResult,
    mustReport: draft.run.options.mustReport(template, wantsResult),
    ...withoutUndefined({
      boundary: node.boundaryID,
      deadline: podDeadline(draft, node, template),
      avoidHosts: hostsToAvoid(draft, node, template),
    }),
  };
}

/** Whether a text of the calling template names what the container prints. */
function isResultWanted(draft: Draft, node: NodeStatus, template: Template): boolean {
  if (template.data !== undefined) return true;
  const boundary = draft.boundaryOf(node);
  if (boundary === undefined) return false;
  const name = stepName(node, boundary);
  return resultNames(frameOf(draft, boundary).template).has(name);
}

const RESULT = /(?:steps|tasks)(?:\.([-A-Za-z0-9]+)|\[(?:'|\\")([-A-Za-z0-9]+)(?:'|\\")\])\.outputs\.result/g;
const namesByTemplate = new WeakMap<Template, ReadonlySet<string>>();

function resultNames(template: Template): ReadonlySet<string> {
  const known = namesByTemplate.get(template);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const [, plain, quoted] of JSON.stringify(template).matchAll(RESULT)) found.add(plain ?? quoted ?? '');
  namesByTemplate.set(template, found);
  return found;
}

function hostsToAvoid(draft: Draft, node: NodeStatus, template: Template): string[] | undefined {
  if (node.nodeFlag?.retried !== true || template.retryStrategy?.affinity?.nodeAntiAffinity === undefined)
    return undefined;
  const retry = draft.named(node.name.replace(/\(\d+\)$/, ''));
  const hosts = (retry?.children ?? [])
    .map((id) => draft.get(id)?.hostNodeName)
    .filter((host) => host !== undefined);
  return hosts.length === 0 ? undefined : [...new Set(hosts)];
}
