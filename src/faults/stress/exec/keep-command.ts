import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import type { InjectionEffect, InjectionTarget } from '../../../api/index.ts';
import { noShellText, saysNoShell } from '../../../chaos/no-shell.ts';
import { describeError, InjectError, RevertError } from '../../../experiment/injection/errors.ts';
import { type FaultContext, type Injection, parametersOf } from '../../../experiment/injection/fault.ts';
import { objectOf } from '../../../experiment/injection/ledger/ledger-steps.ts';
import { limitsInForce } from '../../../experiment/targets/container-status.ts';
import { currentContainer } from '../../container-target.ts';
import type { Load } from '../load/load.ts';
import { commandEffect } from './effect.ts';
import {
  isBroadKill,
  reapWords,
  STARTED,
  startWords,
  tidyWords,
  usageWords,
  usedSeconds,
} from './scripts.ts';

/** Parameters of an injection of commands. */
export interface CommandParameters extends Record<string, unknown> {
  /** Shell text. */
  readonly command: string;
  /** The program that has to be there. @default the first word of the command */
  readonly program?: string;
  /** Shell text that removes what the command leaves; idempotent. TURNSOLE_STRESS is the injection's id in both. */
  readonly tidyCommand?: string;
  /** How many of them run at the same time. */
  readonly workers: number;
  /** Shell text that the user wants to be run at the end; may be empty. */
  readonly killCommand: string;
  /** What the commands are to use, to compare the effect with. @default any CPU time is an effect */
  readonly asks?: Pick<Load, 'cpu' | 'memory'>;
  readonly containerId: string;
  readonly seconds: number;
}

interface Kept {
  /** Ends the keeping: nothing is started any more. */
  readonly stop: AbortController;
  /**
   * Cuts the connections to the commands, and with them their shells. Not before the revert has killed what these have started: a
   * shell that is gone cannot reap, and process 1 of the container need not.
   */
  readonly cut: AbortController;
  readonly workers: Promise<void>[];
  /** When the commands began, in milliseconds of the clock. */
  beganMs: number;
  /** How many of the commands have ended, and do not run again yet. */
  ended: number;
  /** CPU seconds of commands that have ended. */
  usedSeconds: number;
  /** How many of them were killed. */
  killed: number;
  /** How the last of them ended. */
  lastEnd: string | undefined;
}

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Exit code of a shell whose command was killed, as the kernel does for want of memory. */
const KILLED_CODE = 137;
const START_LIMIT_MS = 30_000;
const LAST_WORDS = 500;

const kept = new Map<string, Kept>();

/**
 * Runs the commands in the container by the API and keeps them running: one that ends, or whose container restarts, is started
 * again while time is left. Idempotent; resolves when all of them run.
 *
 * @param instead the fault that does the same from the node, for containers in which nothing can be run
 * @throws InjectError with the command's message when one cannot be started; the revert ends the others
 */
export async function keepCommands(
  injection: Injection,
  context: FaultContext,
  instead: string,
): Promise<void> {
  if (kept.has(injection.id)) return;
  const { workers, seconds } = parametersOf<CommandParameters>(injection);
  const own: Kept = {
    stop: new AbortController(),
    cut: new AbortController(),
    workers: [],
    beganMs: context.clock.monotonic(),
    ended: 0,
    usedSeconds: 0,
    killed: 0,
    lastEnd: undefined,
  };
  kept.set(injection.id, own);
  const endsAt = context.clock.monotonic() + seconds * 1000;
  const signal = AbortSignal.any([own.stop.signal, context.signal]);
  const scoped = { ...context, signal };
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const running = await startCommand(injection, scoped, own).catch((error: unknown) => {
        throw error instanceof InjectError && saysNoShell(error.message)
          ? new InjectError(noShellText(injection.target, instead))
          : error;
      });
      own.workers.push(keepUp(running, injection, scoped, own, endsAt));
    }),
  );
}

/**
 * Ends the commands: by the user's own kill command where it is one, then by killing every process that was started for the
 * injection, by any process. A container that does not run has none.
 */
export async function endCommands(injection: Injection, context: FaultContext): Promise<void> {
  const { id, target } = injection;
  const { killCommand, tidyCommand } = parametersOf<CommandParameters>(injection);
  const own = kept.get(id);
  own?.stop.abort();
  if (killCommand !== '' && !isBroadKill(killCommand)) {
    const outcome = await runInContainer(injection, context, ['/bin/sh', '-c', killCommand]);
    // The sweep below ends its remains, so its failure matters only to its author.
    if (outcome !== 'ok' && outcome !== 'gone')
      context.note('KillCommandFailed', objectOf(injection.target), outcome);
  }
  const steps = [reapWords(id), ...(tidyCommand === undefined ? [] : [tidyWords(id, tidyCommand)])];
  try {
    for (const step of steps) {
      const outcome = await runInContainer(injection, context, step);
      if (outcome === 'ok') continue;
      if (outcome === 'gone') break;
      throw new RevertError(
        `cannot end the commands in container ${target.container} of pod ${target.namespace}/${target.name}: ${outcome}`,
      );
    }
  } finally {
    own?.cut.abort();
  }
  await Promise.all(own?.workers ?? []);
  kept.delete(id);
}

/** CPU time that the commands have used: of those that have ended, by their own word, and of those that are alive. */
export async function effectOfCommands(
  injection: Injection,
  { client, clock, signal }: FaultContext,
): Promise<InjectionEffect | undefined> {
  const own = kept.get(injection.id);
  if (own === undefined) return undefined;
  const { stdout } = await client.exec({
    ...placeOf(injection.target),
    command: usageWords(injection.id),
    signal,
  });
  const { asks = {} } = parametersOf<CommandParameters>(injection);
  const seconds = (clock.monotonic() - own.beganMs) / 1000;
  const limit = asks.cpu === undefined ? undefined : await cpuLimitOf(injection.target, { client, signal });
  return commandEffect(
    { alive: stdout, endedSeconds: own.usedSeconds, lastEnd: own.lastEnd, killed: own.killed },
    {
      cpuSeconds: (asks.cpu?.workers ?? 0) * seconds,
      limitSeconds: limit === undefined ? undefined : limit * seconds,
      mebibytes: asks.memory?.mebibytes,
    },
  );
}

/**
 * Runs something to its end: `ok`, `gone` when the container does not run (any more), or what went wrong. In a container without a shell
 * nothing was ever started: it counts as one that does not run.
 */
async function runInContainer(
  { target }: Injection,
  context: FaultContext,
  command: readonly string[],
): Promise<string> {
  const { client, signal } = context;
  const before = await currentContainer(target, context);
  if (before === 'gone' || before === undefined) return 'gone';
  try {
    const { exitCode, stderr } = await client.exec({ ...placeOf(target), command, signal });
    return exitCode === 0 ? 'ok' : `exit code ${exitCode}: ${stderr.trim().slice(-LAST_WORDS)}`;
  } catch (error) {
    signal.throwIfAborted();
    const said = describeError(error);
    if (saysNoShell(said)) return 'gone';
    return (await currentContainer(target, context)) === before ? said : 'gone';
  }
}

/** A command that runs; resolves when it has ended, with how. */
interface RunningCommand {
  readonly ended: Promise<string>;
}

/** The connection lasts until it is cut; the signal of the context only ends the wait for the start. */
async function startCommand(injection: Injection, context: FaultContext, own: Kept): Promise<RunningCommand> {
  const { client, signal } = context;
  const { target, id } = injection;
  const { command, program } = parametersOf<CommandParameters>(injection);
  const session = await client.execStream({
    ...placeOf(target),
    command: startWords(id, command, program),
    timeoutMs: START_LIMIT_MS,
    signal: own.cut.signal,
  });
  let said = '';
  const started = Promise.withResolvers<'started'>();
  let output = '';
  session.stdout.on('data', (chunk: Buffer) => {
    const text = `${output}${chunk.toString()}`;
    // Looked for before the text is cut: the mark and a flood of output may come in one chunk.
    if (text.includes(STARTED)) started.resolve('started');
    output = text.slice(-LAST_WORDS);
  });
  session.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-LAST_WORDS);
  });
  for (const stream of [session.stdout, session.stderr, session.stdin]) stream.on('error', () => {});
  const ended = session.exited
    .then(
      (code) => {
        if (code === KILLED_CODE) own.killed += 1;
        return `exit code ${code}${said === '' ? '' : `: ${said.trim()}`}`;
      },
      (error: unknown) => describeError(error),
    )
    .then((how) => {
      own.usedSeconds += usedSeconds(output);
      own.lastEnd = how;
      return how;
    });
  const giveUp = (): void => started.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  signal.throwIfAborted();
  const first = await Promise.race([started.promise, ended.then((how) => ({ how }))]).finally(() =>
    signal.removeEventListener('abort', giveUp),
  );
  if (first === 'started') return { ended };
  throw new InjectError(
    `cannot run ${JSON.stringify(command)} in container ${target.container} of pod ${target.namespace}/${target.name}: ${first.how}`,
  );
}

/** Never rejects. */
async function keepUp(
  first: RunningCommand,
  injection: Injection,
  context: FaultContext,
  own: Kept,
  endsAt: number,
): Promise<void> {
  const { clock, signal } = context;
  let running: RunningCommand | undefined = first;
  let pauseMs = MIN_PAUSE_MS;
  while (!signal.aborted && clock.monotonic() < endsAt) {
    try {
      if (running !== undefined) {
        const how = await running.ended;
        running = undefined;
        if (signal.aborted) return;
        own.ended += 1;
        context.force?.lapsed(injection.id, 'ProcessEnded');
        context.note('LoadEnded', objectOf(injection.target), `the command ended early (${how})`);
      }
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
      const container = await currentContainer(injection.target, context);
      const { containerId } = parametersOf<CommandParameters>(injection);
      if (container !== containerId) {
        context.force?.lapsed(injection.id, container === 'gone' ? 'PodGone' : 'ContainerRestarted');
      }
      if (container === 'gone') return;
      if (container === undefined) continue;
      running = await startCommand(injection, context, own);
      own.ended -= 1;
      if (own.ended === 0) context.force?.began(injection.id);
      context.note('Reinjected', objectOf(injection.target), 'the command runs again');
    } catch (error) {
      if (!signal.aborted) context.note('ReinjectFailed', objectOf(injection.target), describeError(error));
    }
  }
  await running?.ended;
}

function placeOf({ namespace = '', name, container }: Injection['target']) {
  return { namespace, name, container };
}

/** CPU limit of the target's container, in processors, as its pod has it; undefined without one. */
async function cpuLimitOf(
  { namespace, name, container }: InjectionTarget,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<number | undefined> {
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  const limit = pod && limitsInForce(pod, { container })?.cpu;
  return limit === undefined ? undefined : quantityToNumber(parseQuantity(limit));
}
