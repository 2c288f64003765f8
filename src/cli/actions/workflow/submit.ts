import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Arguments } from '@turnsole/workflows/kinds/parameters';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { ClusterOptions, ClusterSession } from '../../../runs/session/open-cluster.ts';
import { BadInputError, CommandError } from '../../../services/errors.ts';
import { loadManifests } from '../../../services/manifests/load.ts';
import {
  type ParameterValues,
  parseParameters,
  readParameterFile,
  undeclared,
} from '../../../services/workflows/parameters.ts';
import {
  type NewWorkflow,
  parseSource,
  type SubmitSettings,
  submissionOf,
} from '../../../services/workflows/submission.ts';
import { createWorkflow, findSource } from '../../../services/workflows/submit.ts';
import { isWorkflowKind, nameOf } from '../../../services/workflows/template-library.ts';
import { type FollowFlags, followBegun } from './follow-begun.ts';
import { objectText, onCluster, print, withKind } from './session.ts';

/** Parameters as the command line gives them. */
export interface ParameterFlags {
  readonly parameter?: readonly string[];
  readonly parameterFile?: string;
}

/** Options of `turnsole workflow submit`. */
export interface SubmitOptions
  extends ClusterOptions,
    FollowFlags,
    ParameterFlags,
    Pick<SubmitSettings, 'name' | 'generateName' | 'entrypoint' | 'priority' | 'labels' | 'annotations'> {
  readonly from?: string;
  readonly serviceaccount?: string;
  readonly priorityClassName?: string;
  readonly instanceid?: string;
  readonly dryRun?: boolean;
  readonly serverDryRun?: boolean;
  readonly output?: 'json' | 'yaml' | 'name';
}

/** A manifest that is submitted, and the arguments that it declares. */
interface Source {
  readonly manifest: KubeObject & { readonly spec?: unknown };
  readonly declared: Arguments | undefined;
  /** Whether a template elsewhere may declare more. */
  readonly isOpen: boolean;
}

/** Creates workflows, and follows them when the flags ask for it. */
export async function run(files: readonly string[], options: SubmitOptions): Promise<number> {
  if (files.length > 0 === (options.from !== undefined))
    throw new CommandError('give files with Workflows, or --from', 'OPTION_INVALID');
  const parameters = await parametersOf(options);
  const manifests = files.length === 0 ? [] : await workflowsOf(files);
  if (manifests.length > 1 && options.name !== undefined)
    throw new CommandError(
      `--name: the files have ${manifests.length} Workflows, and a name is for one`,
      'OPTION_INVALID',
    );
  if (options.dryRun === true && options.from === undefined) {
    for (const source of manifests.map(sourceOf)) {
      print(objectText(submission(source, options, parameters, options.namespace), options.output ?? 'yaml'));
    }
    return 0;
  }
  return onCluster(options, async (session, signal) => {
    const sources =
      options.from === undefined ? manifests.map(sourceOf) : [await fromCluster(session, options.from)];
    const begun: Workflow[] = [];
    for (const source of sources) {
      const workflow = submission(source, options, parameters, session.namespace);
      if (options.dryRun === true) {
        print(objectText(workflow as KubeObject, options.output ?? 'yaml'));
        continue;
      }
      const { client } = session;
      const created = await createWorkflow(workflow, { client, serverDryRun: options.serverDryRun ?? false });
      announce(created, options);
      if (options.serverDryRun !== true) begun.push(created);
    }
    return followBegun(session.client, begun, { ...options, signal });
  });
}

/** Values of `-p` and of the file, those of `-p` before those of the file. */
export async function parametersOf({
  parameter = [],
  parameterFile,
}: ParameterFlags): Promise<ParameterValues> {
  const ofFile = parameterFile === undefined ? [] : await readParameterFile(parameterFile);
  return new Map([...ofFile, ...parseParameters(parameter)]);
}

/** Prints what was created, in the wanted form. */
export function announce(workflow: Workflow, { output }: { readonly output?: string }): void {
  if (output !== undefined) print(objectText(withKind(workflow, WORKFLOWS), output));
  else print(`Workflow ${workflow.metadata.namespace}/${workflow.metadata.name} was created`);
}

async function workflowsOf(files: readonly string[]): Promise<KubeObject[]> {
  const manifests = await loadManifests(files);
  const workflows = manifests.filter(({ object }) => isWorkflowKind(object) && object.kind === 'Workflow');
  if (workflows.length > 0) {
    // Other objects in the files are not silently left out.
    for (const { object } of manifests.filter((one) => !workflows.includes(one)))
      console.error(
        `not created: ${object.kind} ${nameOf(object)} is no Workflow; apply it, or use \`turnsole run\``,
      );
    return workflows.map(({ object }) => object);
  }
  const found = manifests.map(({ object }) => `${object.kind} ${nameOf(object)}`).join(', ');
  const message = `no Workflow found, so there is nothing to submit; found ${found}`;
  throw new BadInputError([{ file: files.join(' '), code: 'NOTHING_TO_RUN', message }]);
}

function sourceOf(manifest: KubeObject & { readonly spec?: unknown }): Source {
  const { spec } = manifest as Workflow;
  return { manifest, declared: spec?.arguments, isOpen: spec?.workflowTemplateRef !== undefined };
}

async function fromCluster({ client, namespace }: ClusterSession, text: string): Promise<Source> {
  const { source, manifest } = await findSource(client, parseSource(text), namespace);
  // A stored object has the structure of its kind.
  const spec = (source as Workflow).spec as Workflow['spec'] & { readonly workflowSpec?: Workflow['spec'] };
  const of = source.kind === 'CronWorkflow' ? spec.workflowSpec : spec;
  return { manifest, declared: of?.arguments, isOpen: of?.workflowTemplateRef !== undefined };
}

function submission(
  { manifest, declared, isOpen }: Source,
  options: SubmitOptions,
  parameters: ParameterValues,
  namespace: string | undefined,
): NewWorkflow & KubeObject {
  if (!isOpen) {
    for (const name of undeclared(declared, parameters))
      console.error(
        `warning: ${nameOf(manifest)} declares no parameter ${name}; it is added, and read where a tag names it`,
      );
  }
  const place = options.namespace ?? manifest.metadata.namespace ?? namespace;
  const settings: SubmitSettings = {
    parameters,
    ...(options.name !== undefined && { name: options.name }),
    ...(options.generateName !== undefined && { generateName: options.generateName }),
    ...(place !== undefined && { namespace: place }),
    ...(options.entrypoint !== undefined && { entrypoint: options.entrypoint }),
    ...(options.serviceaccount !== undefined && { serviceAccount: options.serviceaccount }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.priorityClassName !== undefined && { podPriorityClassName: options.priorityClassName }),
    ...(options.instanceid !== undefined && { instanceId: options.instanceid }),
    ...(options.labels !== undefined && { labels: options.labels }),
    ...(options.annotations !== undefined && { annotations: options.annotations }),
  };
  // The cluster draws the name that it may lack.
  return submissionOf(manifest, settings) as NewWorkflow & KubeObject;
}
