import { setMaxListeners } from 'node:events';
import { LABEL_RUN_ID } from '../../api/index.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { PressureWatch } from '../../process/pace/pressure-watch.ts';
import {
  AbortedError,
  ChaosError,
  describeError,
  type ErrorOutput,
  errorOutputOf,
  HelperError,
} from '../injection/errors.ts';
import { EventWriter } from '../injection/events/event-writer.ts';
import { type ExperimentEvent, injectEvent, unfitEvent } from '../injection/events/messages.ts';
import type { Fault, FaultContext, FaultRegistry } from '../injection/fault.ts';
import { Injector, joinErrors } from '../injection/injector.ts';
import { timestamp } from '../injection/ledger/ledger.ts';
import { LedgerBook } from '../injection/ledger/ledger-book.ts';
import type { FaultProcess } from '../injection/main/fault-process.ts';
import { runPulse } from '../injection/pulse.ts';
import { ResultWriter } from '../injection/result/result-writer.ts';
import {
  compileSettings,
  type ExperimentSettings,
  settingsError,
} from '../injection/settings/compile-settings.ts';
import { revertOpen, runSustained } from '../injection/sustained.ts';
import type { Unwanted } from '../injection/while-wanted.ts';
import { checkNode } from '../node/check-node.ts';
import { NodeError } from '../node/node-error.ts';
import type { Assignment, Joining } from './assignment.ts';
import { HelperJournal } from './helper-journal.ts';
import { formatHelperLine, formatOverBell, formatPressureBell } from './helper-log.ts';
import {
  followsLease,
  type HoldOptions,
  isWanted,
  wantedAtFirst,
  wantedNoMore,
  wantedNoMoreOnceReached,
} from './hold.ts';
import { JOURNAL_FOLDER, JOURNAL_VARIABLE } from './journal.ts';
import { repeatInHelper } from './repeat.ts';

/** What a helper needs. */
interface HelperInput extends FaultProcess {
  readonly assignment: Assignment;
  /** Receives the lines for the experiment. */
  readonly print: (line: string) => void;
  /** To revert what journals of other faults on this node say. */
  readonly registry?: FaultRegistry;
}

/**
 * The work of a helper: the same rounds, holds and reverts as in an experiment, for the targets of one node.
 *
 * It reverts when its time is over, on a stop signal, when its run is over, and when neither API server nor experiment give a
 * sign of life for the length of the lease (dead-man switch); that is a failure, for the experiment may live after all. It writes its own
 * ledger keys and annotations; a failure goes to `errorOutput` of the result, as the experiment only sees that the pod failed.
 *
 * @returns exit code: 0 done, 1 failed or aborted, 3 the node or this pod's rights do not allow it and nothing was touched
 */
export async function runHelper(input: HelperInput): Promise<number> {
  const { fault, assignment, client, clock, random, logger } = input;
  const { settings, problems } = compileSettings(fault, envOf(input), random);
  const { namespace } = settings;
  const writer = new ResultWriter({ client, clock, namespace, name: assignment.result });
  using watch = input.pressure === undefined ? undefined : new PressureWatch(input.pressure);
  try {
    if (problems.length > 0) throw settingsError(fault.name, problems);
    // Asked for while programs find out what the node can do: neither touches anything.
    const reading = writer.read(input.signal);
    reading.catch(() => {});
    await checkNode(fault, settings.tunables, input.signal);
    const result = await reading;
    if (result === undefined) {
      throw new HelperError(
        `there is no ChaosResult ${namespace}/${assignment.result}; its experiment is gone`,
      );
    }
    if (assignment.recover === undefined && !isWanted(result, assignment)) {
      // The experiment was killed with the request for this pod under way. No component would look for what is planned from now on.
      logger.warn({ result: assignment.result }, 'the run is over; nothing was injected');
      return POD_EXIT.failed;
    }
    await work(input, settings, writer);
    return POD_EXIT.done;
  } catch (error) {
    logger.error({ error: describeError(error) }, 'helper ended early');
    if (!input.signal.aborted && !(error instanceof AbortedError)) {
      // Of one that joins, the experiment tries another, or goes on without: the run has not failed by it.
      if (assignment.joins === undefined) await reportFailure(writer, error, settings);
      if (error instanceof NodeError) await eventWriter(input, settings).unfit(describeError(error));
    }
    return error instanceof NodeError ? POD_EXIT.unfitNode : POD_EXIT.failed;
  } finally {
    if (watch !== undefined) input.print(formatPressureBell(watch.worst()));
  }
}

/** The environment of a helper that joins says how long the fault lasts from the beginning; what it does lasts for the rest. */
function envOf({ env, assignment: { joins } }: HelperInput): HelperInput['env'] {
  if (joins === undefined) return env;
  return { ...env, TOTAL_CHAOS_DURATION: String(Math.max(1, Math.ceil(joins.leftMs / 1000))) };
}

/** How long a helper that joins has to hold from now on. */
function leftMs({ leftMs: mostMs, endsAtMs }: Joining, nowMs: number): number {
  return Math.max(0, Math.min(mostMs, endsAtMs - nowMs));
}

async function work(input: HelperInput, settings: ExperimentSettings, writer: ResultWriter): Promise<void> {
  const { fault, assignment, client, clock, random, signal } = input;
  const { joins } = assignment;
  setMaxListeners(0, signal);
  const { durationMs } = settings;
  const holdMs = fault.shape === 'sustained' ? durationMs : 0;
  const journal = fault.shape === 'sustained' ? journalOf(input, settings) : undefined;
  const ledger = new LedgerBook({ fault, sink: writer, clock, holdMs, journal });
  const context: FaultContext = {
    client,
    clock,
    random,
    signal,
    recoveryTimeoutMs: settings.statusCheckTimeoutMs,
    note: (step, object, message) =>
      input.print(formatHelperLine({ step, object, message }, timestamp(clock.now()))),
    force: ledger,
    tunables: settings.tunables,
  };
  let hasInjected = false;
  const injector = new Injector({
    fault,
    tunables: settings.tunables,
    context,
    ledger,
    runId: settings.runId,
    // The answer to the write of the first plan says how the run was at that moment; later an abort ends the rounds or the hold.
    assertWanted: () => {
      if (!hasInjected && writer.current !== undefined && !isWanted(writer.current, assignment))
        throw nothingInjected();
      if (joins !== undefined && leftMs(joins, clock.now()) === 0) throw nothingInjected();
    },
    onInForce: () => {
      hasInjected = true;
    },
  });
  await journal?.revertOthers(context);
  if (assignment.recover !== undefined) {
    ledger.adopt(assignment.recover);
    return revertOpen({ injector, ledger });
  }
  const events = eventWriter(input, settings);
  const onRound = (): void => events.inject();
  const { targets } = assignment;
  const leaseMs = settings.tunables.LEASE_SECONDS * 1000;
  const onOver = (): void => input.print(formatOverBell(timestamp(clock.now())));
  const hold = { client, clock, namespace: settings.namespace, assignment, leaseMs };
  let isOver = false;
  const unwanted: Unwanted = async (while_, onWanted) => {
    await followRun(fault)({ ...hold, signal: while_, onWanted });
    isOver = true;
  };
  if (fault.shape === 'sustained') {
    await runSustained({
      injector,
      ledger,
      context,
      durationMs,
      sequence: 'parallel',
      targets,
      firstRound: assignment.round ?? 0,
      ...(joins === undefined ? {} : { leftMs: () => leftMs(joins, clock.now()) }),
      onStep: onRound,
      unwanted,
      onOver,
      settle: async (injections) => fault.settle?.(injections, context),
    });
  } else {
    await repeatInHelper({
      injector,
      ledger,
      context,
      unwanted,
      flush: () => writer.flush(),
      rounds: async (while_, permission) => {
        await runPulse({
          fault,
          injector,
          context: { ...context, signal: while_ },
          durationMs,
          interval: settings.interval,
          sequence: 'parallel',
          interPodKillIntervalMs: 0,
          targetsOf: () => Promise.resolve(targets),
          onRound,
          permission,
        });
        onOver();
      },
    });
  }
  await Promise.all([events.flush(), writer.flush()]);
  // This must not be taken for chaos that was.
  if (isOver && !hasInjected) throw nothingInjected();
}

function nothingInjected(): AbortedError {
  return new AbortedError('the run was aborted before anything was injected');
}

/** How a helper finds out that its fault is wanted no more. */
function followRun(fault: Fault): (options: HoldOptions) => Promise<void> {
  if (fault.shape === 'sustained') return wantedNoMore;
  return followsLease(fault) ? wantedNoMoreOnceReached : wantedAtFirst;
}

function journalOf(
  { env, assignment, logger, fault, registry }: HelperInput,
  { podName, namespace, runId }: ExperimentSettings,
): HelperJournal {
  const folder = env[JOURNAL_VARIABLE] || JOURNAL_FOLDER;
  const server = `${env.KUBERNETES_SERVICE_HOST ?? ''}:${env.KUBERNETES_SERVICE_PORT ?? ''}`;
  const record = { version: 1, server, namespace, result: assignment.result, runId, pod: podName } as const;
  const node = assignment.targets[0]?.node ?? '';
  const isRecovery = assignment.recover !== undefined;
  return new HelperJournal({ folder, record, node, logger, fault, registry, isRecovery });
}

function eventWriter(input: HelperInput, settings: ExperimentSettings) {
  const { client, clock, fault, assignment, logger } = input;
  const { namespace, podName } = settings;
  const writer = new EventWriter({ client, clock, logger, namespace, source: podName });
  const emit = (text: ExperimentEvent): void => {
    const { engine, experiment } = assignment;
    if (engine !== undefined) writer.onEngine(engine, experiment, text);
  };
  return {
    inject: (): void => emit(injectEvent(fault, assignment.experiment)),
    unfit: (reason: string): Promise<void> => {
      emit(unfitEvent(reason));
      return writer.flush();
    },
    flush: () => writer.flush(),
  };
}

/** Adds this failure to what other helpers have written, as a list. A result that is gone, or another run's by now, takes no failures. */
async function reportFailure(
  writer: ResultWriter,
  error: unknown,
  { podName, runId }: ExperimentSettings,
): Promise<void> {
  try {
    const sourced = withSource(error, podName);
    const own = errorOutputOf(sourced, 'ChaosInject');
    await writer.revise(({ metadata, status }) =>
      metadata.labels?.[LABEL_RUN_ID] === runId
        ? { experimentStatus: { errorOutput: mergeOutputs(status?.experimentStatus?.errorOutput, own) } }
        : undefined,
    );
  } catch {
    // The experiment then says that the helper failed without a word.
  }
}

function withSource(error: unknown, source: string): Error {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return joinErrors(
    errors.map((one) =>
      one instanceof ChaosError
        ? new ChaosError(one.code, one.message, {
            cause: one.cause,
            source,
            phase: one.phase,
            target: one.target,
          })
        : new HelperError(describeError(one), { source }),
    ),
  );
}

/** Several outputs as one: the first code, all reasons in a list. Pure. */
export function mergeOutputs(before: Partial<ErrorOutput> | undefined, own: ErrorOutput): ErrorOutput {
  if (before?.reason === undefined || before.errorCode === undefined) return own;
  const list = (reason: string): string => reason.replace(/^\[/, '').replace(/\]$/, '');
  return { errorCode: before.errorCode, reason: `[${list(before.reason)},${list(own.reason)}]` };
}
