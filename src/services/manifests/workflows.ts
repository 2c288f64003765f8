import type { KubeObject } from '@turnsole/kube/kinds/core';
import { generateName } from '@turnsole/kube/text/generated-name';
import { childWorkflow } from '@turnsole/workflows/cron/child-workflow';
import { decodeCronWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import type { InputProblem } from '../errors.ts';
import { placeOf } from './apply.ts';
import type { Manifest } from './load.ts';

/** How times of CronWorkflows are taken, and what time it is. */
interface WorkflowMode {
  readonly mode: 'next' | 'real';
  readonly nowMs: number;
}

/** The manifests that are run as workflows. */
interface WorkflowsToRun {
  /** Each with a name, as it is created. */
  readonly workflows: readonly Manifest[];
  readonly refusals: readonly InputProblem[];
  /** The manifests that these stand for: they are not applied besides. */
  readonly stored: readonly Manifest[];
}

const GROUP = 'argoproj.io/';

/** Workflows as they are created, and CronWorkflows as the workflow that they would start now. */
export function workflowsToRun(
  manifests: readonly Manifest[],
  { mode, nowMs }: WorkflowMode,
): WorkflowsToRun {
  const ofKind = (kind: string): Manifest[] =>
    manifests.filter(({ object }) => object.apiVersion.startsWith(GROUP) && object.kind === kind);
  const crons = ofKind('CronWorkflow');
  const refusals = crons.flatMap((manifest) => refusalsOf(manifest, mode));
  const refused = new Set(refusals.map(({ file, line }) => `${file}:${line}`));
  const runnable = crons.filter(({ file, line }) => !refused.has(`${file}:${line}`));
  return {
    workflows: [...ofKind('Workflow').map(named), ...runnable.map((manifest) => onceNow(manifest, nowMs))],
    refusals,
    stored: [...ofKind('Workflow'), ...crons],
  };
}

function refusalsOf(manifest: Manifest, mode: WorkflowMode['mode']): InputProblem[] {
  const refuse = (field: string, message: string): InputProblem[] => [
    // The place is that of the object: by it the manifest is known again.
    { ...placeOf(manifest), line: manifest.line, field, code: 'NOTHING_TO_RUN', message },
  ];
  if (mode === 'real')
    return refuse(
      'spec.schedules',
      'a CronWorkflow goes on for ever, so a run cannot follow its times; take --schedule next, or apply it to a cluster that stays',
    );
  const { suspend } = decodeCronWorkflow(manifest.object).spec;
  return suspend === true
    ? refuse('spec.suspend', 'found true, with which nothing is run; set it to false')
    : [];
}

/** With the name that the cluster would draw: what follows the run needs it. */
function named(manifest: Manifest): Manifest {
  const { metadata } = manifest.object;
  if (metadata.name !== undefined) return manifest;
  const name = generateName(metadata.generateName ?? '', Math.random);
  const object = { ...manifest.object, metadata: { ...metadata, name } };
  return { ...manifest, object };
}

/** The workflow that a CronWorkflow would start now. It has no owner, because the CronWorkflow is not stored. */
function onceNow(manifest: Manifest, nowMs: number): Manifest {
  const { metadata, ...child }: KubeObject = childWorkflow(decodeCronWorkflow(manifest.object), nowMs);
  const { ownerReferences: _, finalizers: __, namespace, ...rest } = metadata;
  return {
    ...manifest,
    object: {
      ...child,
      apiVersion: manifest.object.apiVersion,
      kind: 'Workflow',
      metadata: { ...rest, namespace },
    },
    lineOf: ([head, ...path]) =>
      manifest.lineOf(head === 'spec' ? ['spec', 'workflowSpec', ...path] : [head ?? 'metadata', ...path]),
    cron: { name: manifest.object.metadata.name },
  };
}
