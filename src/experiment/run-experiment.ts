import { setMaxListeners } from 'node:events';
import { CHAOS_ENDED, type ResultPhase, type Verdict } from '../api/index.ts';
import type { KubeClient } from '../kube/client/types.ts';
import type { Clock, Random } from '../kube/runtime/clock.ts';
import type { Logger } from '../kube/runtime/log.ts';
import { recoverEarlier } from './chaos/recover.ts';
import { runApiFault } from './chaos/run-api-fault.ts';
import { type ChaosError, describeError, type ErrorOutput, errorOutputOf } from './errors.ts';
import { EventWriter } from './events/event-writer.ts';
import type { Fault } from './fault.ts';
import { LedgerBook } from './ledger/ledger-book.ts';
import { checkAfter, checkBefore, probeError } from './lifecycle/checks.ts';
import { closeRun } from './lifecycle/close-run.ts';
import { loadProbes } from './lifecycle/load-probes.ts';
import { openRun, type ProbesFactory } from './lifecycle/open-run.ts';
import type { Run } from './lifecycle/run.ts';
import { resultName } from './result/result-patches.ts';
import { ResultWriter } from './result/result-writer.ts';
import { TimelineLog } from './result/timeline-log.ts';
import type { Ending } from './result/verdict.ts';
import { compileSettings } from './settings/compile-settings.ts';
import type { Environment } from './settings/parse-tunables.ts';

/** What one run of an experiment needs. */
export interface ExperimentInput {
  readonly fault: Fault;
  readonly env: Environment;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted on SIGTERM and SIGINT: the run stops, reverts and ends. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** @default the probes of the engine's entry, loaded when there are any */
  readonly createProbes?: ProbesFactory;
}

/** How a run ended. */
export interface ExperimentOutcome {
  readonly verdict: Verdict;
  readonly phase: ResultPhase;
  readonly errorOutput: ErrorOutput | undefined;
  /** 0: the run came to an end, whatever the verdict. 1: aborted, or its result could not be stored. */
  readonly exitCode: 0 | 1;
}

/**
 * The life of an experiment, the same for every fault (section 5 of the compatibility reference):
 * open the result, recover what an earlier run left, check, inject and revert, check, close.
 *
 * Always resolves with a stored verdict once a ChaosResult can be written, whatever goes wrong in between.
 *
 * @throws ResultError when the ChaosResult cannot be read or written: then nothing was injected, or everything that was has
 *   been reverted
 */
export async function runExperiment(input: ExperimentInput): Promise<ExperimentOutcome> {
  const run = createRun(input);
  let ending: Ending = { kind: 'completed' };
  try {
    await openRun(run, input.createProbes ?? loadProbes);
    await recoverEarlier(run);
    await checkBefore(run);
    await injectAndRevert(run);
    await checkAfter(run);
  } catch (error) {
    ending = endingOf(run, error);
  }
  // Nothing of this run goes on in the background once it is judged.
  run.probes?.abort();
  const judgement = await closeRun(run, ending);
  return {
    verdict: judgement.verdict,
    phase: judgement.phase,
    errorOutput: judgement.errorOutput,
    exitCode: ending.kind === 'aborted' ? 1 : 0,
  };
}

/** Step 9: ramp, targets, probes, chaos, ramp. */
async function injectAndRevert(run: Run): Promise<void> {
  const { settings } = run;
  run.phase = 'ChaosInject';
  // Loaded only where it is needed: an experiment starts with what every run needs.
  if (run.engine?.spec.dryRun === true) return (await import('./chaos/dry-run.ts')).dryRun(run);
  await ramp(run);
  const runFault =
    run.fault.where === 'node' ? (await import('./chaos/run-node-fault.ts')).runNodeFault : runApiFault;
  await runFault(run, async () => {
    const outcome = await run.probes?.duringChaos();
    const error = outcome === undefined ? undefined : probeError(outcome, run);
    if (error !== undefined) throw error;
  });
  run.timeline.note({ step: CHAOS_ENDED, message: `${settings.durationMs / 1000} s of chaos are over` });
  run.phase = 'PostChaos';
  await ramp(run);
}

async function ramp({ settings, clock, stop }: Run): Promise<void> {
  if (settings.rampMs > 0) await clock.sleep(settings.rampMs, stop);
}

function endingOf(run: Run, error: unknown): Ending {
  const { logger, stop, settings } = run;
  if (stop.aborted) {
    logger.info({ reason: describeError(stop.reason) }, 'experiment aborted');
    return { kind: 'aborted' };
  }
  const output = errorOutputOf(error, run.phase);
  logger.error(
    { code: output.errorCode, error: describeError(error), experiment: settings.experiment },
    'experiment failed',
  );
  return { kind: 'error', errorOutput: isHelperFailure(error) ? undefined : output };
}

/** The helper has written its own errorOutput, closer to the cause. */
function isHelperFailure(error: unknown): boolean {
  return (error as Partial<ChaosError> | undefined)?.code === 'HELPER_POD_FAILED_ERROR';
}

function createRun(input: ExperimentInput): Run {
  const { fault, env, client, clock, random, signal, logger } = input;
  const { settings, problems } = compileSettings(fault, env, random);
  const { namespace, runId, experiment, podName } = settings;
  const own = new AbortController();
  const stop = AbortSignal.any([signal, own.signal]);
  // Every request and wait under way listens; the default warns at ten.
  setMaxListeners(0, stop);
  stop.addEventListener('abort', () =>
    timeline.note({ step: 'Aborted', message: `aborted: ${describeError(stop.reason)}` }),
  );
  const timeline = new TimelineLog({ clock, actor: `experiment/${experiment}`, runId });
  const writer = new ResultWriter({
    client,
    clock,
    namespace,
    name: resultName(settings),
    extras: () => {
      const entries = timeline.take();
      return entries === undefined ? undefined : { status: { timeline: entries } };
    },
  });
  return {
    fault,
    settings,
    problems,
    env,
    client,
    clock,
    random,
    logger,
    stop,
    abort: (reason) => own.abort(reason),
    writer,
    timeline,
    ledger: new LedgerBook({
      fault,
      sink: writer,
      clock,
      holdMs: fault.shape === 'sustained' ? settings.durationMs : 0,
    }),
    events: new EventWriter({ client, clock, logger, namespace, source: podName }),
    engine: undefined,
    engineExperiment: undefined,
    pod: undefined,
    probes: undefined,
    phase: 'PreChaos',
    hasChaosStarted: false,
    isClosing: false,
  };
}
