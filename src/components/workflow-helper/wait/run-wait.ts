import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { Artifact, Outputs, Parameter } from '@turnsole/workflows/kinds/parameters';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { reportLine } from '@turnsole/workflows/pods/report';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';
import { mainEnd } from './main-ends.ts';

/**
 * Waits for the main containers, takes what they leave, stores artifacts and prints the report.
 *
 * On a stop signal it goes on as long as it takes: main has got the signal as well and may still leave something. The kubelet kills it
 * after the grace period. Only a container that has not even started is not waited for.
 */
export async function runWait(order: NodeOrder, context: HelperContext): Promise<void> {
  const { places, signal } = context;
  const ends = await Promise.all(order.mains.map((name) => mainEnd(places.home, name, signal)));
  const outputs: { -readonly [K in keyof Outputs]: Outputs[K] } = {};
  try {
    // A failed command may have left less than it was to leave; the node reports the command's own failure.
    const isRequired = ends.every((end) => end === 0);
    if (order.uses.includes('result')) outputs.result = resultOf(await result(context));
    const parameters = await takeParameters(order.parameters, isRequired, context);
    if (parameters.length > 0) outputs.parameters = parameters;
    const artifacts = await takeArtifacts(order, isRequired, context);
    if (artifacts.length > 0) outputs.artifacts = artifacts;
  } finally {
    context.print(reportLine({ node: order.node, outputs, isComplete: true }));
  }
}

async function result({ places }: HelperContext): Promise<Buffer> {
  return (await readIfThere(join(places.home, 'main', 'stdout'))) ?? Buffer.alloc(0);
}

async function takeParameters(
  parameters: readonly Parameter[],
  isRequired: boolean,
  { places }: HelperContext,
): Promise<Parameter[]> {
  const folder = join(places.home, 'main', 'parameters');
  const files = await allInOrder(
    parameters.map(async (_parameter, index) =>
      (await readIfThere(join(folder, `${index}`)))?.toString('utf8'),
    ),
  );
  return parametersOf(parameters, files, isRequired);
}

async function takeArtifacts(
  { artifacts, uses }: NodeOrder,
  isRequired: boolean,
  context: HelperContext,
): Promise<Artifact[]> {
  const hasArtifacts = artifacts.outputs.length > 0 || uses.includes('logs');
  if (!hasArtifacts) return [];
  const { storeLogs, storeOutputs } = await import('./store-outputs.ts');
  // Logs come first: they say why an output is missing.
  const logs = await storeLogs(artifacts.logs, context);
  return [...(await storeOutputs(artifacts.outputs, isRequired, context)), ...logs];
}

function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** The end of a text that is kept as `outputs.result`. */
const MOST_RESULT_BYTES = 256 * 1024;

/** What a command printed as a result: without the newline at its end, and of a long text the end. Pure. */
function resultOf(stdout: Buffer): string {
  return withoutNewline(stdout.subarray(Math.max(0, stdout.length - MOST_RESULT_BYTES)).toString('utf8'));
}

/** A text without the one newline at its end. Pure. */
function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/**
 * Output parameters with the values of their files. Pure.
 *
 * @param files the texts of the files, in the order of the parameters; undefined for a missing one
 * @param isRequired whether a file that is missing is an error
 * @throws HelperError
 */
function parametersOf(
  parameters: readonly Parameter[],
  files: readonly (string | undefined)[],
  isRequired: boolean,
): Parameter[] {
  return parameters.flatMap((parameter, index) => {
    const { valueFrom } = parameter;
    if (valueFrom?.path === undefined) return [parameter];
    const text = files[index];
    const value = text === undefined ? valueFrom.default : withoutNewline(text);
    if (value !== undefined) return [{ ...parameter, value }];
    if (!isRequired) return [];
    throw new HelperError(
      `output parameter ${parameter.name}: main has left no file ${valueFrom.path}: let it write one, or give valueFrom.default`,
    );
  });
}
