import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { readDocuments } from '../recordings/manifests.ts';
import type { Recording } from '../recordings/recording.ts';
import { BY_PHASE_ONLY, type Example, SHORTENED } from './examples.ts';
import { problemOf } from './judge.ts';

/** Where an example runs, and what it is compared with. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Folder of the manifests. */
  readonly examples: string;
  /** Folder of the recordings. */
  readonly recordings: string;
  readonly limitMs: number;
}

/** How an example came out. */
export interface Outcome {
  readonly example: Example;
  readonly seconds: number;
  /** Whether Argo's continuous integration runs it. */
  readonly isOfCi: boolean;
  /** What is wrong; undefined when nothing is. */
  readonly problem?: string;
}

/** The file of an example, undefined where the folder does not have it. */
export function fileOf(folder: string, { name }: Example): string | undefined {
  const file = join(folder, `${name}.yaml`);
  return existsSync(file) ? file : undefined;
}

/** Creates the workflows of an example, waits for their end and judges it. */
export async function runExample(example: Example, surroundings: Surroundings): Promise<Outcome> {
  const startedAt = performance.now();
  const workflows = workflowsOf(example, surroundings);
  const problems = await Promise.all(
    workflows.map(async (workflow) => {
      try {
        return await runWorkflow(example, workflow, surroundings);
      } catch (error) {
        return (error as Error).message;
      }
    }),
  );
  const problem = problems.find((text) => text !== undefined);
  return {
    example,
    seconds: (performance.now() - startedAt) / 1000,
    isOfCi: !workflows.some(({ metadata }) => 'workflows.argoproj.io/no-test' in (metadata.labels ?? {})),
    ...(problem !== undefined && { problem }),
  };
}

/** The workflows of an example's file. Their names are fixed, as in the recordings: ids of nodes follow from them. */
function workflowsOf(example: Example, { examples, recordings }: Surroundings): Workflow[] {
  const file = fileOf(examples, example);
  if (file === undefined) throw new Error(`${example.name} is not in ${examples}`);
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of SHORTENED[example.name] ?? []) text = text.replaceAll(from, to);
  const documents = readDocuments(text).filter(({ kind }) => kind === 'Workflow') as unknown as Workflow[];
  const recorded = documents.length === 1 ? recordingOf(recordings, example)?.workflow : undefined;
  return documents.map((document) => {
    const { generateName, name, ...metadata } = document.metadata;
    const unique = example.name.replace(/^.*\//, '').slice(0, 40);
    return { ...document, metadata: { ...metadata, name: recorded ?? name ?? `${unique}-unrecorded` } };
  });
}

function recordingOf(folder: string, { name }: Example): Recording | undefined {
  const file = join(folder, `${name.replaceAll('/', '__')}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recording) : undefined;
}

async function runWorkflow(
  example: Example,
  workflow: Workflow,
  surroundings: Surroundings,
): Promise<string | undefined> {
  const { client, namespace, limitMs, recordings } = surroundings;
  const { name } = await client
    .create<Workflow>(WORKFLOWS, workflow as NewObject<Workflow>, { namespace })
    .then(({ metadata }) => metadata);
  let last: Workflow | undefined;
  const isOver = (seen: Workflow | undefined): boolean => {
    if (seen !== undefined) last = seen;
    return last?.status?.finishedAt !== undefined && last.status.finishedAt !== null;
  };
  try {
    await waitForObject<Workflow>(client, WORKFLOWS, name, isOver, { namespace, timeoutMs: limitMs });
  } catch (error) {
    const open = Object.values(last?.status?.nodes ?? {})
      .filter(({ phase }) => phase === 'Pending' || phase === 'Running')
      .map((node) => `\n      ${node.type} ${node.name} ${node.phase} ${node.message ?? ''}`)
      .join('');
    return `${(error as Error).message}; phase ${last?.status?.phase ?? 'none'} ${last?.status?.message ?? ''}${open}`;
  }
  const recording = example.name in BY_PHASE_ONLY ? undefined : recordingOf(recordings, example);
  return last && problemOf(last, example.expected, recording);
}
