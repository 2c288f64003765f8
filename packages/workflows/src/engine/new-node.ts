import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import type { Inputs } from '../kinds/parameters.ts';
import { nodeId } from '../kinds/pod-names.ts';
import type { NodeFlag, NodePhase, NodeStatus, NodeType } from '../kinds/status.ts';
import type { Draft } from './draft.ts';
import { displayName } from './node-names.ts';
import { isActive, isExecutable } from './node-state.ts';
import { formatScope, type TemplateScope } from './template-scope.ts';
import type { TemplateHolder } from './templates.ts';

export interface NewNode {
  readonly name: string;
  readonly type: NodeType;
  readonly phase: NodePhase;
  readonly message?: string | undefined;
  readonly boundary?: NodeStatus | undefined;
  readonly holder?: TemplateHolder | undefined;
  /** Where the caller's names of templates are looked up. */
  readonly scope: TemplateScope;
  readonly flag?: NodeFlag | undefined;
  readonly inputs?: Inputs | undefined;
  /** The name that the template gives for show. */
  readonly displayName?: string | undefined;
}

/** Types that carry a flag object even when it says nothing, as clients of Argo know them. */
const FLAGGED: ReadonlySet<NodeType> = new Set(['StepGroup', 'TaskGroup']);

const SHOWABLE = /^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$/;

function isShowable(name: string | undefined): name is string {
  return name !== undefined && SHOWABLE.test(name);
}

export function createNode(draft: Draft, fields: NewNode): NodeStatus {
  const { name, type, phase, message, boundary, holder, scope, flag, inputs } = fields;
  const isEmpty = (inputs?.parameters ?? []).length + (inputs?.artifacts ?? []).length === 0;
  const isBornOver = phase === 'Skipped' || phase === 'Omitted';
  return draft.put({
    id: nodeId(draft.workflowName, name),
    name,
    displayName: isShowable(fields.displayName) ? fields.displayName : displayName(name, boundary?.name),
    type,
    phase,
    templateScope: formatScope(scope),
    startedAt: draft.time,
    ...withoutUndefined({
      templateName: holder?.templateRef === undefined ? holder?.template : undefined,
      templateRef: holder?.templateRef,
      boundaryID: boundary?.id,
      message,
      nodeFlag: flag ?? (isBornOver || FLAGGED.has(type) ? {} : undefined),
      inputs: isEmpty ? undefined : inputs,
      estimatedDuration: draft.run.options.estimates?.node(name, draft.workflowName),
      progress: isExecutable({ type }) ? '0/1' : undefined,
      finishedAt: isActive({ phase }) ? undefined : draft.time,
    }),
  });
}
