import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { InputProblem } from '../errors.ts';
import type { Manifest } from '../manifests/load.ts';
import { planWorkflow, type WorkflowPlan } from '../workflows/inside/workflow-plan.ts';
import { checkWorkflows } from '../workflows/manifest-problems.ts';
import { libraryOf } from '../workflows/template-library.ts';

/** What a workflow would do, and its problems. */
export interface CheckedWorkflowPlan extends WorkflowPlan {
  readonly problems: readonly InputProblem[];
}

/** Sees through workflows, with the templates among the other manifests and in a library. Pure but for the library's look-ups. */
export function planWorkflows(
  workflows: readonly Manifest[],
  options: {
    readonly others: readonly Manifest[];
    readonly namespace: string;
    readonly library: TemplateLibrary;
  },
): CheckedWorkflowPlan[] {
  const { others, namespace } = options;
  const { problems } = checkWorkflows([...workflows, ...others], options.library);
  const library = libraryOf(
    others.map(({ object }) => object),
    options.library,
  );
  return workflows.map((manifest, index) => ({
    ...planWorkflow(manifest, { namespace, library }),
    // Problems of a template are reported with the first workflow, as they would keep the run from beginning.
    problems: problems.filter(({ file, object }) => {
      const owner = workflows.findIndex((one) => one.file === file && object === titleOf(one));
      return owner === -1 ? index === 0 : owner === index;
    }),
  }));
}

function titleOf({ object: { kind, metadata } }: Manifest): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** A workflow in the document that `turnsole plan -o json` prints. */
export interface PlannedWorkflow {
  readonly namespace: string;
  readonly name: string;
  /** The CronWorkflow whose workflow this is. */
  readonly cron?: string;
  readonly wouldRun: boolean;
  /** In the order in which they would begin; those with the same number run side by side. */
  readonly steps: readonly {
    readonly number: string;
    readonly name: string;
    readonly template: string;
    readonly isLeaf: boolean;
    readonly remarks: readonly string[];
    readonly brings: readonly BroughtObject[];
  }[];
  readonly warnings: readonly string[];
  readonly problems: readonly InputProblem[];
}

/** An object that a step brings along. */
export interface BroughtObject {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  readonly appliedBy?: string;
}

/** A plan as a part of the document. Pure. */
export function plannedWorkflow(plan: CheckedWorkflowPlan): PlannedWorkflow {
  const { manifest, namespace, steps, inner, warnings, problems } = plan;
  return {
    namespace,
    name: manifest.object.metadata.name,
    ...(manifest.cron !== undefined && { cron: manifest.cron.name }),
    wouldRun: problems.length === 0,
    steps: steps.map((step) => ({
      number: step.number,
      name: step.name,
      template: step.template,
      isLeaf: step.isLeaf,
      remarks: step.remarks,
      brings: inner
        .filter((one) => one.step === step)
        .map(({ object, source, appliedBy }) => ({
          kind: object.kind,
          name: object.metadata.name ?? `${object.metadata.generateName ?? ''}…`,
          source,
          ...(appliedBy !== undefined && { appliedBy }),
        })),
    })),
    warnings,
    problems,
  };
}
