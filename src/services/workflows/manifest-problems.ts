import type { KubeObject } from '@turnsole/kube/kinds/core';
import { unknownFieldText } from '@turnsole/kube/schema/unknown-fields';
import { validateCronWorkflow } from '@turnsole/workflows/cron/validate-cron';
import { decodeCronWorkflow, decodeWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import type { WorkflowTemplateRef } from '@turnsole/workflows/kinds/workflow';
import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import type { WorkflowProblem } from '@turnsole/workflows/validation/problem';
import { validateWorkflow } from '@turnsole/workflows/validation/validate-workflow';
import type { InputProblem } from '../errors.ts';
import { placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import { isWorkflowKind, LIBRARY_KINDS, libraryOf, nameOf } from './template-library.ts';

/** Problems of workflow objects. References that could not be resolved are among them, and also listed by themselves. */
export interface CheckedWorkflows {
  readonly problems: readonly InputProblem[];
  readonly unresolved: readonly WorkflowTemplateRef[];
}

/** What is held against manifests. */
interface CheckOptions {
  /** Their arguments may get values later. @default false */
  readonly isLint?: boolean;
  /** Whether fields that Argo's types do not have are problems. @default false */
  readonly isStrict?: boolean;
}

/**
 * Judges the workflow objects among manifests; what they refer to may stand among them or in the library. Pure but for its look-ups.
 */
export function checkWorkflows(
  manifests: readonly Manifest[],
  further?: TemplateLibrary,
  { isLint = false, isStrict = false }: CheckOptions = {},
): CheckedWorkflows {
  const unresolved = new Map<string, WorkflowTemplateRef>();
  const known = libraryOf(
    manifests.map(({ object }) => object),
    further,
  );
  const library: TemplateLibrary = {
    find: (reference) => {
      const found = known.find(reference);
      if (found === undefined)
        unresolved.set(`${reference.clusterScope === true}/${reference.name}`, reference);
      return found;
    },
  };
  const problems = manifests
    .filter(({ object }) => isWorkflowKind(object))
    .flatMap((manifest) =>
      [
        ...(isStrict ? unknownFields(manifest) : []),
        ...workflowProblems(manifest.object, library, isLint),
      ].map((problem) => inputProblem(manifest, problem)),
    );
  return { problems, unresolved: [...unresolved.values()] };
}

/** Everything that is wrong with one workflow object, whichever of the four kinds it is. */
export function workflowProblems(
  object: KubeObject,
  library: TemplateLibrary,
  isLint = false,
): WorkflowProblem[] {
  if (object.kind === 'CronWorkflow') return validateCronWorkflow(decodeCronWorkflow(object), library);
  const isLibrary = LIBRARY_KINDS.includes(object.kind ?? '');
  return validateWorkflow(decodeWorkflow(object), { library, isLibrary, isLint });
}

/** Fields that nothing reads, which are misspelt or misplaced most of the time. */
function unknownFields({ unknown = [] }: Manifest): WorkflowProblem[] {
  return unknown.map(({ path, suggestion }) => ({
    path,
    text: unknownFieldText(suggestion === undefined ? {} : { suggestion }),
  }));
}

function inputProblem(manifest: Manifest, { path, text }: WorkflowProblem): InputProblem {
  const { kind, metadata } = manifest.object;
  const place = metadata.namespace === undefined ? '' : `${metadata.namespace}/`;
  return {
    ...placeOf(manifest, ...segmentsOf(path)),
    object: `${kind} ${place}${nameOf(manifest.object)}`,
    field: path,
    code: 'WORKFLOW_INVALID',
    message: text,
  };
}

/** `spec.templates[1].steps[0][2]` as the path of a node; the path of another object leads to this one as a whole. */
export function segmentsOf(path: string): (string | number)[] {
  if (path.includes(' ')) return [];
  return path
    .split(/[.[\]]+/)
    .flatMap((part) => (part === '' ? [] : /^\d+$/.test(part) ? Number(part) : part));
}
