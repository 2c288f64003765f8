import {
  describeError,
  type FaultContext,
  InjectError,
  type Injection,
  RevertError,
} from '../../../experiment/index.ts';
import { currentContainer } from '../load/container-target.ts';
import { isBroadKill, reapWords, STARTED, startWords, tidyWords } from './scripts.ts';

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
  readonly containerId: string;
  readonly seconds: number;
}

interface Kept {
  readonly stop: AbortController;
  readonly workers: Promise<void>[];
}

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
const START_LIMIT_MS = 30_000;
const LAST_WORDS = 500;

const kept = new Map<string, Kept>();

/**
 * Runs the commands in the container by the API and keeps them running: one that ends, or whose container restarts, is started
 * again while time is left. Idempotent; resolves when all of them run.
 *
 * @throws InjectError with what the command said when one cannot be started; the others are ended by the revert
 */
export async function keepCommands(injection: Injection, context: FaultContext): Promise<void> {
  if (kept.has(injection.id)) return;
  const { workers, seconds } = parametersOf(injection);
  const own: Kept = { stop: new AbortController(), workers: [] };
  kept.set(injection.id, own);
  const endsAt = context.clock.now() + seconds * 1000;
  const signal = AbortSignal.any([own.stop.signal, context.signal]);
  const scoped = { ...context, signal };
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const running = await startCommand(injection, scoped);
      own.workers.push(keepUp(running, injection, scoped, endsAt));
    }),
  );
}

/**
 * Ends the commands: by the user's own kill command where it is one, then by killing every process that was started for the
 * injection, whoever started it. A container that does not run has none.
 */
export async function endCommands(injection: Injection, context: FaultContext): Promise<void> {
  const { id, target } = injection;
  const { killCommand, tidyCommand } = parametersOf(injection);
  const own = kept.get(id);
  own?.stop.abort();
  if (killCommand !== '' && !isBroadKill(killCommand)) {
    const outcome = await runInContainer(injection, context, ['/bin/sh', '-c', killCommand]);
    // What it left is ended below, so its failure matters to nobody but its author.
    if (outcome !== 'ok' && outcome !== 'gone')
      context.note('KillCommandFailed', objectOf(injection), outcome);
  }
  const steps = [reapWords(id), ...(tidyCommand === undefined ? [] : [tidyWords(id, tidyCommand)])];
  for (const step of steps) {
    const outcome = await runInContainer(injection, context, step);
    if (outcome === 'ok') continue;
    if (outcome === 'gone') break;
    throw new RevertError(
      `cannot end the commands in container ${target.container} of pod ${target.namespace}/${target.name}: ${outcome}`,
    );
  }
  await Promise.all(own?.workers ?? []);
  kept.delete(id);
}

/** Runs something to its end: `ok`, `gone` when the container does not run (any more), or what went wrong. */
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
    return (await currentContainer(target, context)) === before ? describeError(error) : 'gone';
  }
}

/** A command that runs; resolves when it has ended, with how. */
interface RunningCommand {
  readonly ended: Promise<string>;
}

async function startCommand(injection: Injection, context: FaultContext): Promise<RunningCommand> {
  const { client, signal } = context;
  const { target, id } = injection;
  const { command, program } = parametersOf(injection);
  const session = await client.execStream({
    ...placeOf(target),
    command: startWords(id, command, program),
    timeoutMs: START_LIMIT_MS,
    signal,
  });
  let said = '';
  const started = Promise.withResolvers<'started'>();
  session.stdout.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes(STARTED)) started.resolve('started');
  });
  session.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-LAST_WORDS);
  });
  for (const stream of [session.stdout, session.stderr, session.stdin]) stream.on('error', () => {});
  const ended = session.exited.then(
    (code) => `exit code ${code}${said === '' ? '' : `: ${said.trim()}`}`,
    (error: unknown) => describeError(error),
  );
  const first = await Promise.race([started.promise, ended.then((how) => ({ how }))]);
  if (first === 'started') return { ended };
  signal.throwIfAborted();
  throw new InjectError(
    `cannot run ${JSON.stringify(command)} in container ${target.container} of pod ${target.namespace}/${target.name}: ${first.how}`,
  );
}

/** Never rejects. */
async function keepUp(
  first: RunningCommand,
  injection: Injection,
  context: FaultContext,
  endsAt: number,
): Promise<void> {
  const { clock, signal } = context;
  let running: RunningCommand | undefined = first;
  let pauseMs = MIN_PAUSE_MS;
  while (!signal.aborted && clock.now() < endsAt) {
    try {
      if (running !== undefined) {
        const how = await running.ended;
        running = undefined;
        if (signal.aborted) return;
        context.note('LoadEnded', objectOf(injection), `the command ended early (${how})`);
      }
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
      const container = await currentContainer(injection.target, context);
      if (container === 'gone') return;
      if (container === undefined) continue;
      running = await startCommand(injection, context);
      context.note('Reinjected', objectOf(injection), 'the command runs again');
    } catch (error) {
      if (!signal.aborted) context.note('ReinjectFailed', objectOf(injection), describeError(error));
    }
  }
  await running?.ended;
}

function placeOf({ namespace = '', name, container }: Injection['target']) {
  return { namespace, name, ...(container === undefined ? {} : { container }) };
}

function parametersOf(injection: Injection): CommandParameters {
  // Only `plan` of a fault by commands makes injections of it.
  return injection.parameters as CommandParameters;
}

function objectOf({ target: { namespace, name } }: Injection): string {
  return `pod/${namespace}/${name}`;
}
