import type { Template } from '../kinds/template.ts';
import type { WorkflowTemplate } from '../kinds/workflow.ts';
import type { CreatePod } from './change.ts';
import { Draft } from './draft.ts';
import { frameOf } from './frame-of.ts';
import { resolveStep } from './resolve-step.ts';
import type { Run } from './run.ts';
import { globalNames } from './substitution/globals.ts';
import { parseScope, type TemplateScope } from './template-scope.ts';
import { scopeOf } from './templates.ts';

/** What the pod of a node takes from around it. */
interface PodSurroundings {
  /** The template of the enclosing steps or dag. */
  readonly boundary?: Template;
  /** The object that the template comes from; absent for templates of the workflow itself. */
  readonly library?: WorkflowTemplate;
  readonly names: ReadonlyMap<string, string>;
}

/** The surroundings of a pod's node. Pure, but for frames that it caches. */
export function podSurroundings(run: Run, action: CreatePod, now: number): PodSurroundings {
  const boundary = action.boundary === undefined ? undefined : run.nodes.get(action.boundary);
  const draft = new Draft(run, now, () => {}, resolveStep);
  return {
    boundary: boundary && frameOf(draft, boundary).template,
    library: libraryOf(run, action),
    names: globalNames({ ...run, parameters: run.parameters.values }, run.status, now),
  };
}

function libraryOf(run: Run, action: CreatePod): WorkflowTemplate | undefined {
  const node = run.nodes.get(action.node);
  const scope: TemplateScope =
    node?.templateRef === undefined
      ? parseScope(node?.templateScope, run.workflow.metadata.name)
      : scopeOf(node.templateRef);
  if (scope.kind === 'local') return undefined;
  const { workflowTemplates, clusterWorkflowTemplates } = run.facts;
  return (scope.kind === 'cluster' ? clusterWorkflowTemplates : workflowTemplates).get(scope.name);
}
