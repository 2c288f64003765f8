import { messageOf } from '@turnsole/kube/text/error-message';
import { Pattern } from '@turnsole/kube/text/pattern';
import { parseTime } from '@turnsole/kube/text/time';
import { type Command, Option } from 'commander';
import { CommandError } from '../services/errors.ts';
import type { LogOptions } from '../services/logs/pod-logs.ts';
import { integerOption } from './common-options.ts';
import { parseDurationOption } from './options.ts';

/** Which lines of logs a user wants to see, and how. */
export interface LineOptions {
  readonly since?: number;
  readonly sinceTime?: string;
  readonly tail?: number;
  readonly timestamps?: boolean;
  readonly grep?: string;
  readonly prefix: boolean;
}

/** The options of {@link LineOptions}. */
export function lineOptions(command: Command): Command {
  return command
    .addOption(new Option('--since <duration>', 'only lines since').argParser(parseDurationOption))
    .option('--since-time <time>', 'only lines since a time, RFC 3339')
    .addOption(integerOption('--tail <n>', 'only the last lines of each pod'))
    .option('--timestamps', 'with the time of each line')
    .option('--grep <expression>', 'only lines that match a regular expression of Go (RE2)')
    .option('--no-prefix', 'without the name of the pod before each line');
}

/**
 * How logs are read and printed: lines to the standard output, and what has printed nothing to the other.
 *
 * @throws CommandError OPTION_INVALID
 */
export function printedLines(options: LineOptions, nowMs: number): Omit<LogOptions, 'client' | 'signal'> {
  const sinceTime = sinceTimeOf(options, nowMs);
  const expression = options.grep === undefined ? undefined : expressionOf(options.grep);
  return {
    timestamps: options.timestamps ?? false,
    ...(options.tail !== undefined && { tailLines: options.tail }),
    ...(sinceTime !== undefined && { sinceTime }),
    onLine: (from, line) => {
      if (expression?.isIn(line) ?? true) console.log(options.prefix ? `${from}: ${line}` : line);
    },
    onWaiting: (from, reason) => {
      console.error(`${from} has printed nothing yet: ${reason}`);
    },
  };
}

function sinceTimeOf({ since, sinceTime }: LineOptions, nowMs: number): string | undefined {
  if (since !== undefined && sinceTime !== undefined)
    throw new CommandError('--since and --since-time exclude one another', 'OPTION_INVALID');
  if (since !== undefined) return new Date(nowMs - since).toISOString();
  if (sinceTime !== undefined && parseTime(sinceTime) === undefined)
    throw new CommandError(`--since-time: expected an RFC 3339 time, found ${sinceTime}`, 'OPTION_INVALID');
  return sinceTime;
}

function expressionOf(text: string): Pattern {
  try {
    return Pattern.read(text);
  } catch (cause) {
    throw new CommandError(`--grep: ${messageOf(cause)}`, 'OPTION_INVALID', { cause });
  }
}
