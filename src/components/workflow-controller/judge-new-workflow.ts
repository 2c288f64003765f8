import { isObject } from '@turnsole/kube/text/json';
import { effectiveSpec } from '@turnsole/workflows/engine/effective-spec';
import { nodeMessage } from '@turnsole/workflows/engine/node-error';
import type { Facts } from '@turnsole/workflows/engine/run';
import { decodeWorkflow, decodeWorkflowSpec } from '@turnsole/workflows/kinds/decode/workflow';
import type { WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { malformedFields } from '@turnsole/workflows/validation/malformed';
import type { WorkflowProblem } from '@turnsole/workflows/validation/problem';
import { validateWorkflow } from '@turnsole/workflows/validation/validate-workflow';
import { libraryOf } from './facts.ts';
import type { FirstWrite } from './live-run.ts';
import { mergePatch } from './merge-patch.ts';

/** The outcome for a workflow that is seen for the first time. */
type NewWorkflowJudgement =
  | {
      readonly kind: 'valid';
      readonly workflow: Workflow;
      readonly spec: WorkflowSpec;
      readonly first: FirstWrite;
    }
  | { readonly kind: 'refused'; readonly phase: WorkflowPhase; readonly message: string };

/** Judges a workflow before anything of it starts, in the words of Argo's controller. Pure. */
export function judgeNewWorkflow(
  served: Workflow,
  facts: Facts,
  defaults: Readonly<Record<string, unknown>> | undefined,
): NewWorkflowJudgement {
  // Of a workflow that refers to a template as a whole, the template's fields stand between its own and the defaults.
  const isReferring = served.spec?.workflowTemplateRef !== undefined;
  const whole = overDefaults(served, isReferring ? { ...defaults, spec: undefined } : defaults);
  let workflow: Workflow;
  let spec: WorkflowSpec;
  try {
    workflow = decodeWorkflow(whole);
    const [malformed] = malformedFields('Workflow', workflow.spec);
    if (malformed !== undefined) return invalid(malformed);
    spec = effectiveSpec(workflow, facts);
    if (isReferring) spec = over(decodeWorkflowSpec(defaults?.['spec']), spec) as WorkflowSpec;
  } catch (error) {
    return { kind: 'refused', phase: 'Error', message: nodeMessage(error) };
  }
  const [problem] = validateWorkflow(workflow, { library: libraryOf(facts) });
  if (problem !== undefined) return invalid(problem);
  return { kind: 'valid', workflow, spec, first: firstWrite(served, whole, isReferring ? spec : undefined) };
}

function invalid({ text }: WorkflowProblem): NewWorkflowJudgement {
  return { kind: 'refused', phase: 'Failed', message: `invalid spec: ${text}` };
}

/** The fields of the workflow over those of `workflowDefaults`. */
function overDefaults(served: Workflow, defaults: Readonly<Record<string, unknown>> = {}): Workflow {
  const { metadata, spec } = defaults;
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  return {
    ...served,
    metadata: {
      ...served.metadata,
      ...(isObject(labels) && { labels: { ...texts(labels), ...served.metadata.labels } }),
      ...(isObject(annotations) && {
        annotations: { ...texts(annotations), ...served.metadata.annotations },
      }),
    },
    ...(isObject(spec) && { spec: over(spec, served.spec) as WorkflowSpec }),
  };
}

function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

function over(below: unknown, above: unknown): unknown {
  if (!isObject(below) || !isObject(above)) return above ?? below;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...keys].map((key) => [key, over(below[key], above[key])]));
}

/** Defaults and the spec of a referenced template are stored, so that a later change of them does not reach this workflow. */
function firstWrite(served: Workflow, whole: Workflow, stored: WorkflowSpec | undefined): FirstWrite {
  const metadata = mergePatch(served.metadata, whole.metadata);
  return {
    ...(isObject(metadata) && { metadata }),
    ...(stored === undefined
      ? { spec: mergePatch(served.spec, whole.spec) }
      : { status: { storedWorkflowTemplateSpec: stored } }),
  };
}
