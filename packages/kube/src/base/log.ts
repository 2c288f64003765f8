import { createRequire } from 'node:module';
import type { Logger as PinoLogger } from 'pino';

/** Levels by rising weight; `silent` writes nothing. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** Levels that lines have. */
export type WritingLevel = Exclude<LogLevel, 'silent'>;

/** Variable parts of a log line. An error has the key `err` and is written with its stack and cause. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Fields that lines of a process, engine or run share. */
interface LogContext {
  readonly component?: string;
  /** `namespace/name`. */
  readonly engine?: string;
  readonly experiment?: string;
  readonly runId?: string;
  readonly [field: string]: unknown;
}

/** Writes JSON lines: a constant sentence, and what varies as fields. */
export interface Logger {
  debug(message: string): void;
  debug(fields: LogFields, message: string): void;
  info(message: string): void;
  info(fields: LogFields, message: string): void;
  warn(message: string): void;
  warn(fields: LogFields, message: string): void;
  error(message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger whose lines carry further fields. */
  child(context: LogContext): Logger;
}

/** How a process logs. */
interface LoggerOptions extends LogContext {
  readonly component: string;
  /** @default LOG_LEVEL of the environment, else info */
  readonly level?: LogLevel;
  /** Receives each line with its line end. @default standard output, written at once */
  readonly write?: (line: string) => void;
  /** Called with each line before it is written: to count them. */
  readonly onLine?: (level: WritingLevel) => void;
}

/** A logger that writes nothing: the default of library code. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

/**
 * The logger of a process. Pino is loaded with the first line that is written and not before: its 15 ms then no longer
 * stand before the first API request of a short-lived process.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, write, onLine = () => {}, ...context } = options;
  const threshold = level ?? levelOf(process.env.LOG_LEVEL);
  if (threshold === 'silent') return silentLogger;
  let root: PinoLogger | undefined;
  return new LazyLogger(() => (root ??= openPino(threshold, context, write)), threshold, onLine);
}

/** The level a text names; anything unknown is `info`, as a wrong variable must not stop a process. */
export function levelOf(text: string | undefined): LogLevel {
  const wanted = text?.trim().toLowerCase();
  return LOG_LEVELS.find((level) => level === wanted) ?? 'info';
}

class LazyLogger implements Logger {
  readonly #open: () => PinoLogger;
  readonly #threshold: LogLevel;
  readonly #onLine: (level: WritingLevel) => void;

  constructor(open: () => PinoLogger, threshold: LogLevel, onLine: (level: WritingLevel) => void) {
    this.#open = open;
    this.#threshold = threshold;
    this.#onLine = onLine;
  }

  debug(fields: LogFields | string, message?: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: LogFields | string, message?: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: LogFields | string, message?: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: LogFields | string, message?: string): void {
    this.#write('error', fields, message);
  }

  child(context: LogContext): Logger {
    let opened: PinoLogger | undefined;
    return new LazyLogger(() => (opened ??= this.#open().child(context)), this.#threshold, this.#onLine);
  }

  #write(level: WritingLevel, fields: LogFields | string, message: string | undefined): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#threshold)) return;
    this.#onLine(level);
    const pino = this.#open();
    if (typeof fields === 'string') pino[level](fields);
    else pino[level](fields, message);
  }
}

function openPino(
  level: WritingLevel,
  context: LogContext,
  write: ((line: string) => void) | undefined,
): PinoLogger {
  // Synchronous on purpose: a line must be out before the next statement, and `import()` cannot be.
  const { pino }: typeof import('pino') = createRequire(import.meta.url)('pino');
  return pino(
    {
      level,
      base: context,
      messageKey: 'msg',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.errWithCause },
    },
    write === undefined ? pino.destination({ fd: 1, sync: true }) : { write },
  );
}
