import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isForbidden, isUnauthorized } from '@turnsole/kube/client/errors';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import {
  type ComponentContext,
  type ComponentFailure,
  type ComponentIo,
  runComponent,
} from '../../process/component.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { RunOverError } from './engine-status.ts';
import { runEngine } from './run-engine.ts';
import { type RunnerSettings, RunnerSettingsError, readRunnerSettings } from './settings.ts';

/**
 * The client that takes the run away deletes the pod, and its SIGTERM is waited for: a kubelet that sees the container end before it sees
 * the deletion starts it once more, and keeps the pod for up to a minute of back-off.
 */
const FAREWELL_MS = 5_000;

/**
 * The same for a pod that is being deleted already: the kubelet acts on it in this time, and its SIGTERM may have come while this process
 * started, when it is lost on process 1 of a container.
 */
const DELETION_SEEN_MS = 1_000;

/** Entry point of `turnsole runner`: carries out one run of one engine. Resolves to the exit code. */
export function runRunner(argv: readonly string[], env: Environment, io: ComponentIo = {}): Promise<number> {
  const runner = {
    name: 'runner',
    settings: () => readRunnerSettings(env),
    serve: async (context: ComponentContext<RunnerSettings>) => {
      try {
        await runEngine(context);
      } catch (error) {
        if (error instanceof RunOverError && !context.signal.aborted) await farewell(context);
        throw error;
      }
    },
    failed,
  };
  return runComponent(runner, argv, env, io);
}

async function farewell({
  client,
  clock,
  signal,
  settings,
}: ComponentContext<RunnerSettings>): Promise<void> {
  const { namespace, engine } = settings;
  const own = { namespace, fieldSelector: `metadata.name=${engine}-runner`, signal };
  // Without permission to look, it waits for the longer time.
  const { items = [] } = await client.list(PODS, own).catch(() => ({ items: [] }));
  const isBeingDeleted = items[0]?.metadata.deletionTimestamp !== undefined;
  await clock.sleep(isBeingDeleted ? DELETION_SEEN_MS : FAREWELL_MS, signal).catch(() => {});
}

async function failed(err: unknown, { env, logger, signal }: ComponentFailure): Promise<number> {
  if (signal.aborted) {
    logger.info('runner is stopped');
    return POD_EXIT.runTaken;
  }
  if (err instanceof RunOverError) {
    logger.info({ detail: err.message }, 'the run is over for this runner');
    return POD_EXIT.runTaken;
  }
  const expected = err instanceof RunnerSettingsError;
  logger.error(expected ? { code: err.code, detail: err.message } : { err }, 'runner failed');
  leaveTerminationMessage(err, env.TURNSOLE_POD_ROOT ?? '/');
  return exitCodeOf(err);
}

/** Operators go by it: a refused account does not get better by starting the same pod again. */
function exitCodeOf(error: unknown): number {
  if (isUnauthorized(error)) return POD_EXIT.unknownAccount;
  return isForbidden(error) ? POD_EXIT.noPermission : POD_EXIT.failed;
}

/**
 * Leaves the reason for the kubelet, so that it stands in the pod's status, from where the operator takes it.
 *
 * @param root of the pod's files (docs/architecture.md, "Pods as processes")
 */
function leaveTerminationMessage(error: unknown, root: string): void {
  try {
    // Only the kubelet makes this file; outside of a pod it is missing, and must not be made.
    const file = openSync(join(root, '/dev/termination-log'), constants.O_WRONLY | constants.O_TRUNC);
    writeSync(file, messageOf(error));
    closeSync(file);
  } catch {
    // The log has it as well.
  }
}
