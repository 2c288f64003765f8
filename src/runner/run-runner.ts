import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../kube/client/client.ts';
import { loadInClusterConfig } from '../kube/client/config/in-cluster.ts';
import type { KubeClient } from '../kube/client/types.ts';
import { type Clock, systemClock } from '../kube/runtime/clock.ts';
import { createLogger, type Logger } from '../kube/runtime/log.ts';
import { terminationSignal } from '../kube/runtime/termination-signal.ts';
import { RunOverError } from './engine-status.ts';
import { runEngine } from './run-engine.ts';
import { RunnerSettingsError, readRunnerSettings } from './settings.ts';

/** All experiments have a verdict. Only this makes the operator complete the engine. */
const EXIT_DONE = 0;
/** It failed; the kubelet restarts it and it resumes. */
const EXIT_FAILED = 1;
/** The run was taken from it: stopped, deleted, restarted, or the pod is being deleted (128 + SIGTERM). */
const EXIT_ABORTED = 143;

/**
 * Whoever takes the run away deletes the pod, and its SIGTERM is waited for: a kubelet that sees the container end before it has heard of
 * the deletion starts it once more, and keeps the pod for up to a minute of back-off.
 */
const FAREWELL_MS = 5_000;

/** What the process gives the runner; tests give their own. */
export interface RunnerIo {
  /** @default the cluster this pod runs in */
  readonly client?: KubeClient;
  /** @default JSON lines on standard output */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** @default aborted on SIGTERM and SIGINT */
  readonly signal?: AbortSignal;
}

/** Entry point of `turnsole runner`: carries out one run of one engine. Resolves to the exit code. */
export async function runRunner(
  _argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: RunnerIo = {},
): Promise<number> {
  const logger = io.logger ?? createLogger({ component: 'runner' });
  const clock = io.clock ?? systemClock;
  const signal = io.signal ?? terminationSignal();
  let client = io.client;
  try {
    const settings = readRunnerSettings(env);
    client ??= createClient(await loadInClusterConfig(env, clock));
    await runEngine({ client, clock, logger, settings, signal });
    return EXIT_DONE;
  } catch (err) {
    if (signal.aborted) {
      logger.info('runner is stopped');
      return EXIT_ABORTED;
    }
    if (err instanceof RunOverError) {
      logger.info({ detail: err.message }, 'the run is over for this runner');
      await clock.sleep(FAREWELL_MS, signal).catch(() => {});
      return EXIT_ABORTED;
    }
    const expected = err instanceof RunnerSettingsError;
    logger.error(expected ? { detail: err.message } : { err }, 'runner failed');
    leaveTerminationMessage(err, env.TURNSOLE_POD_ROOT ?? '/');
    return EXIT_FAILED;
  } finally {
    if (io.client === undefined) client?.close();
  }
}

/**
 * Tells the kubelet why, so that it stands in the pod's status, from where the operator takes it.
 *
 * @param root of the pod's files (docs/architecture.md, "Pods as processes")
 */
function leaveTerminationMessage(error: unknown, root: string): void {
  try {
    // Only the kubelet makes this file; outside a pod there is none, and none must be made.
    const file = openSync(join(root, '/dev/termination-log'), constants.O_WRONLY | constants.O_TRUNC);
    writeSync(file, error instanceof Error ? error.message : String(error));
    closeSync(file);
  } catch {
    // The log has it as well.
  }
}
