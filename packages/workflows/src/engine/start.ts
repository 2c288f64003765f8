import { ANNOTATION_DISPLAY_NAME } from '../kinds/labels.ts';
import type { Arguments } from '../kinds/parameters.ts';
import type { NodePhase, NodeStatus, NodeType } from '../kinds/status.ts';
import type { Template } from '../kinds/template.ts';
import { mergeDefaults } from '../kinds/template-defaults.ts';
import { blockedBy } from './concerns/parallelism.ts';
import type { Draft } from './draft.ts';
import { boundTemplate } from './frame-of.ts';
import { createNode, type NewNode } from './new-node.ts';
import { NodeError, nodeMessage } from './node-error.ts';
import { type ResolvedTemplate, resolveTemplate, type TemplateHolder } from './templates.ts';

/** The template to run, and its node. */
interface Call extends Pick<NewNode, 'name' | 'scope' | 'boundary' | 'flag'> {
  readonly holder: TemplateHolder;
  readonly args?: Arguments | undefined;
}

/** The node exists, and is an error. */
export interface FailedStart {
  readonly kind: 'failed';
  readonly node: NodeStatus;
  readonly message: string;
}

type Started =
  | { readonly kind: 'started'; readonly node: NodeStatus }
  /** It has to wait for others to end. */
  | { readonly kind: 'blocked' }
  | FailedStart;

/** Nested templates beyond this depth are taken for a recursion without an end. */
const MOST_LEVELS = 100;

/** Makes the node of a template and begins it, unless others have to end before. */
export function startTemplate(draft: Draft, call: Call): Started {
  let resolved: ResolvedTemplate;
  let bound: Template;
  try {
    checkDepth(draft, call);
    resolved = resolveTemplate(draft.run, draft.status.storedTemplates, call.holder, call.scope);
    const template = mergeDefaults(resolved.template, draft.run.spec);
    const type = nodeType(template, call);
    if (blockedBy(draft, call.boundary, type)) return { kind: 'blocked' };
    bound = bindCall(draft, call, template, type);
  } catch (error) {
    return failed(draft, call, nodeMessage(error));
  }
  store(draft, resolved);
  const type = nodeType(bound, call);
  const waits = bound.synchronization !== undefined || bound.memoize !== undefined;
  const node = createNode(draft, {
    ...call,
    type,
    phase: waits ? 'Pending' : firstPhase(type),
    inputs: bound.inputs,
    displayName: bound.annotations?.[ANNOTATION_DISPLAY_NAME],
  });
  draft.begin(node);
  return { kind: 'started', node: draft.get(node.id) ?? node };
}

export function firstPhase(type: NodeType): NodePhase {
  return type === 'Pod' || type === 'HTTP' || type === 'Plugin' ? 'Pending' : 'Running';
}

function bindCall(
  draft: Draft,
  { holder, boundary, flag, name, args }: Call,
  template: Template,
  type: NodeType,
): Template {
  const like = {
    name,
    type,
    ...(boundary && { boundaryID: boundary.id }),
    ...(flag && { nodeFlag: flag }),
    ...(holder.template !== undefined && { templateName: holder.template }),
    ...(holder.templateRef && { templateRef: holder.templateRef }),
  };
  return boundTemplate(draft, like, template, args);
}

function checkDepth(draft: Draft, { boundary }: Call): void {
  let depth = 0;
  for (let at = boundary; at !== undefined; at = draft.boundaryOf(at)) {
    if (++depth > MOST_LEVELS) {
      throw new NodeError(
        'Maximum recursion depth exceeded. See https://argoproj.github.io/argo-workflows/scaling/#maximum-recursion-depth',
      );
    }
  }
}

function nodeType(template: Template, { flag }: Call): NodeType {
  if (template.retryStrategy !== undefined && flag?.retried !== true) return 'Retry';
  if (template.steps !== undefined) return 'Steps';
  if (template.dag !== undefined) return 'DAG';
  if (template.suspend !== undefined) return 'Suspend';
  if (template.http !== undefined) return 'HTTP';
  return template.plugin === undefined ? 'Pod' : 'Plugin';
}

function store(draft: Draft, { storedAs, template }: ResolvedTemplate): void {
  if (storedAs === undefined) return;
  draft.setStatus({ storedTemplates: { ...draft.status.storedTemplates, [storedAs]: template } });
}

function failed(draft: Draft, call: Call, message: string): Started {
  const node = createNode(draft, { ...call, type: 'Skipped', phase: 'Error', message });
  return { kind: 'failed', node, message };
}
