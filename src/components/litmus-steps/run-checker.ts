/** `litmus-checker` of Litmus' workflows: creates a ChaosEngine and ends when its run is over. */

import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseManifest } from '@turnsole/kube/apply/parse-manifest';
import type { NewObject } from '@turnsole/kube/client/types';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { runIsOver } from '../../api/engine-status.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { withTraceParent } from '../../api/trace-parent.ts';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { textFlag } from '../../process/flags.ts';
import { podPath } from '../../process/pod-path.ts';
import { UsageError } from '../../process/usage-error.ts';
import { failedStep } from './failed-step.ts';

/** Litmus' checker waits without a limit. Every wait of ours has one; a year is longer than any run. */
const LONGEST_RUN_MS = 366 * 24 * 60 * 60 * 1000;

interface CheckerSettings {
  readonly engine: NewObject<ChaosEngine>;
  /** File that gets the engine's name, for later steps. */
  readonly saveName: string | undefined;
}

interface CheckerFlags {
  readonly file: string | undefined;
  readonly saveName: string | undefined;
}

/**
 * Entry point of `turnsole litmus-checker`. The verdicts of the engine do not influence its exit code: later steps of the workflow,
 * which clean up, are to run in any case.
 *
 * @returns exit code: 0 the run is over, or the step was stopped; 1 anything else
 */
export function runChecker(argv: readonly string[], env: Environment, io: ComponentIo = {}): Promise<number> {
  const checker = {
    name: 'litmus-checker',
    flags: { file: textFlag('FILE'), saveName: textFlag('FILE'), kubeconfig: textFlag('FILE') },
    settings: async ({ file, saveName }: CheckerFlags) => ({
      engine: await readEngine(file, env),
      // A new file: it is added to the others of its folder.
      saveName: saveName && join(podPath(dirname(saveName), env), basename(saveName)),
    }),
    serve,
    failed: failedStep('litmus-checker'),
  };
  return runComponent(checker, argv, env, io);
}

async function readEngine(file: string | undefined, env: Environment): Promise<NewObject<ChaosEngine>> {
  if (file === undefined)
    throw new UsageError('flag -file is missing; it names the manifest of a ChaosEngine');
  const text = await readFile(podPath(file, env), 'utf8').catch((cause: unknown) => {
    throw new UsageError(`cannot read ${file}: ${messageOf(cause)}`, { cause });
  });
  const manifest = await parseManifest(text).catch((cause: unknown) => {
    throw new UsageError(`${file} ${messageOf(cause)}`, { cause });
  });
  const { kind } = manifest as { readonly kind?: unknown };
  if (kind !== CHAOS_ENGINES.kind)
    throw new UsageError(`${file} holds a ${String(kind)}; expected a ChaosEngine`);
  // The server judges the rest.
  return withTraceParent(manifest as NewObject<ChaosEngine>, env);
}

async function serve(context: ComponentContext<CheckerSettings>): Promise<void> {
  const { client, clock, logger, signal, settings } = context;
  const namespace = settings.engine.metadata.namespace ?? context.namespace;
  const { metadata } = await client.create<ChaosEngine>(CHAOS_ENGINES, settings.engine, {
    namespace,
    signal,
  });
  const { name } = metadata;
  // Litmus' subscriber looks for this sentence in the log.
  logger.info(`ChaosEngine Name : ${name}`);
  if (settings.saveName !== undefined) {
    await writeFile(settings.saveName, name).catch((err: unknown) =>
      logger.error({ err, file: settings.saveName }, "cannot save the engine's name"),
    );
  }
  const ended = await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, hasEnded, {
    namespace,
    signal,
    clock,
    timeoutMs: LONGEST_RUN_MS,
  });
  if (ended?.metadata.uid !== metadata.uid) {
    throw new Error(`ChaosEngine ${namespace}/${name} was deleted before its run was over`);
  }
  logger.info(`ChaosEngine ${namespace}/${name} is ${ended?.status?.engineStatus}`);
}

/** Whether nothing is left to wait for. Litmus' checker ignores the case of the status. */
function hasEnded(engine: ChaosEngine | undefined): boolean {
  return engine === undefined || runIsOver(engine.status?.engineStatus?.toLowerCase());
}
