import { CHAOS_ENDED, type EngineVerdict, type ResultPhase } from '../../api/index.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { engineOver, whyOver } from '../injection/engine-over.ts';
import {
  AbortedError,
  describeError,
  type ErrorOutput,
  errorOutputOf,
  HelperPodFailedError,
  RepeatedRunError,
} from '../injection/errors.ts';
import type { FaultProcess } from '../injection/main/fault-process.ts';
import type { Ending } from '../injection/result/verdict.ts';
import { recoverEarlier } from './chaos/recover.ts';
import { runApiFault } from './chaos/run-api-fault.ts';
import { checkAfter, checkBefore } from './lifecycle/checks.ts';
import { closeRun } from './lifecycle/close-run.ts';
import { createRun } from './lifecycle/create-run.ts';
import { openRun } from './lifecycle/open-run.ts';
import { sendOwnTrace } from './lifecycle/own-trace.ts';
import { probeError } from './lifecycle/probe-error.ts';
import { isDryRun, ownEntriesOf, type Run } from './lifecycle/run.ts';
import { assertSteady } from './lifecycle/steady-state.ts';

/** How a run ended. */
export interface ExperimentOutcome {
  readonly verdict: EngineVerdict;
  readonly phase: ResultPhase;
  readonly errorOutput: ErrorOutput | undefined;
  /** 0: the run came to an end, whatever the verdict. 1: aborted, or its result could not be stored. */
  readonly exitCode: number;
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
export async function runExperiment(input: FaultProcess): Promise<ExperimentOutcome> {
  const run = createRun(input);
  const ended = new AbortController();
  let ending: Ending = { kind: 'completed' };
  try {
    const earlier = await openRun(run);
    followEngine(run, ended.signal);
    await recoverEarlier(run, earlier);
    await checkBefore(run);
    await injectAndRevert(run);
    await checkAfter(run);
  } catch (error) {
    if (error instanceof RepeatedRunError) return repeated(run, error);
    ending = endingOf(run, error);
  }
  ended.abort();
  // Nothing of this run goes on in the background once it is judged.
  const probesEnded = run.probes?.abort();
  const judgement = await closeRun(run, ending);
  await probesEnded;
  await sendOwnTrace(run);
  return {
    verdict: judgement.verdict,
    phase: judgement.phase,
    errorOutput: judgement.errorOutput,
    exitCode: ending.kind === 'aborted' ? POD_EXIT.failed : POD_EXIT.done,
  };
}

/** The result is the first pod's; nothing of it is changed. */
function repeated({ logger }: Run, error: RepeatedRunError): ExperimentOutcome {
  logger.error({ error: error.message }, 'experiment not begun');
  return {
    verdict: 'Error',
    phase: 'Error',
    errorOutput: errorOutputOf(error, 'PreChaos'),
    exitCode: POD_EXIT.failed,
  };
}

/** Step 9: ramp, targets, probes, chaos, ramp. */
async function injectAndRevert(run: Run): Promise<void> {
  const { settings } = run;
  run.phase = 'ChaosInject';
  // Loaded only where it is needed: an experiment starts with what every run needs.
  if (isDryRun(run)) {
    await assertSteady(run);
    return (await import('./chaos/dry-run.ts')).dryRun(run);
  }
  await ramp(run);
  run.pressures.faultBegins();
  const runFault =
    run.fault.where === 'node' ? (await import('./chaos/run-node-fault.ts')).runNodeFault : runApiFault;
  await runFault(run, async () => {
    const outcome = await run.probes?.prepareChaos();
    const error = outcome === undefined ? undefined : probeError(outcome, run);
    if (error !== undefined) throw error;
    await assertSteady(run);
    // Helpers take their time until they inject; their faults begin when they say so.
    if (run.fault.where !== 'node') run.probes?.injecting();
  });
  run.force.ended();
  run.probes?.measuredIn(run.force.spans(ownEntriesOf(run)));
  run.timeline.note({ step: CHAOS_ENDED, message: `${settings.durationMs / 1000} s of chaos are over` });
  run.phase = 'PostChaos';
  await ramp(run);
}

async function ramp({ settings, clock, stop }: Run): Promise<void> {
  if (settings.rampMs > 0) await clock.sleep(settings.rampMs, stop);
}

/** An engine that is stopped or gone ends the run as a signal does, also where no operator sends one. */
function followEngine(run: Run, signal: AbortSignal): void {
  const { client, clock, engine, settings } = run;
  const { name, uid, resourceVersion } = engine?.metadata ?? {};
  if (name === undefined || uid === undefined) return;
  // A watch reports changes only, and no engine that was stopped or deleted while this pod started.
  const reason = whyOver(engine, name, uid);
  if (reason !== undefined) {
    run.abort(new AbortedError(reason));
    return;
  }
  const { namespace } = settings;
  engineOver({ client, clock, namespace, name, uid, resourceVersion, signal }).then(
    (reason) => run.abort(new AbortedError(reason)),
    // The run has ended.
    () => {},
  );
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
  // The helper has written its own errorOutput, closer to the cause.
  return { kind: 'error', errorOutput: error instanceof HelperPodFailedError ? undefined : output };
}
