/** How much a line of a log matters; undefined: it does not say. */
type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** A line of a log, as people read it. */
export interface LogLine {
  /** When it was printed, in milliseconds since 1970; undefined where nothing says so. */
  readonly atMs: number | undefined;
  readonly level: LogLevel | undefined;
  /** The sentence, then its fields as `key=value`. */
  readonly text: string;
}

/** A time before a line, as servers of Kubernetes write it. */
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) /;
/** `time="…" level=info msg="…"`: logfmt, in which most programs of Kubernetes log. */
const LOGFMT = /([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)/g;
/** `E0102 15:04:05.000000 1 file.go:12] …`: klog. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\] /;
/** A word of a level near the beginning of any other line. */
const WORD = /^.{0,40}?\b(FATAL|PANIC|CRITICAL|ERROR|WARNING|WARN|INFO|DEBUG|TRACE)\b/;

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ...['fatal', 'panic', 'critical', 'error', 'err', 'e', 'f'].map((word) => [word, 'error'] as const),
  ...['warning', 'warn', 'w'].map((word) => [word, 'warn'] as const),
  ...['info', 'notice', 'i'].map((word) => [word, 'info'] as const),
  ...['debug', 'trace'].map((word) => [word, 'debug'] as const),
]);
/** Fields that stand elsewhere, say nothing to a reader, or are the same in each line of a pod of ours. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...['level', 'time', 'ts', 'msg', 'message', 'pid', 'hostname', 'v'],
  ...['component', 'engine', 'experiment', 'runId'],
]);

/**
 * Reads a line: JSON of this program's components and of others, logfmt, klog, or any text with a word of a level, with or without the
 * time of the server before it. What cannot be read is the text itself. Pure.
 */
export function readLogLine(line: string): LogLine {
  const [before = '', time] = TIMED.exec(line) ?? [];
  const rest = line.slice(before.length);
  const printedMs = time === undefined ? undefined : Date.parse(time);
  const { atMs, level, text } = readJson(rest) ?? readLogfmt(rest) ?? readPlain(rest);
  return { atMs: printedMs ?? atMs, level, text };
}

function readJson(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  const fields = parsed(line);
  if (fields === undefined) return undefined;
  const message = fields.msg ?? fields.message;
  if (typeof message !== 'string') return undefined;
  const others = Object.entries(fields).filter(([key]) => !HIDDEN.has(key));
  const time = fields.time ?? fields.ts;
  const atMs = typeof time === 'number' ? time : Date.parse(String(time));
  return {
    atMs: Number.isFinite(atMs) ? atMs : undefined,
    level: levelOf(fields.level),
    text: [message, ...others.map(([key, value]) => `${key}=${shown(value)}`)].join(' '),
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** An error has its stack in a field, which is longer than a line. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  const message =
    typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
  return typeof message === 'string' ? message : JSON.stringify(value);
}

function readLogfmt(line: string): LogLine | undefined {
  if (!/^(time|level|ts)=/.test(line)) return undefined;
  const fields = [...line.matchAll(LOGFMT)].map(
    ([, key = '', value = '']) => [key, unquoted(value)] as const,
  );
  const of = (name: string): string | undefined => fields.find(([key]) => key === name)?.[1];
  const message = of('msg');
  if (message === undefined) return undefined;
  const others = fields.filter(([key]) => !HIDDEN.has(key)).map(([key, value]) => `${key}=${value}`);
  const atMs = Date.parse(of('time') ?? of('ts') ?? '');
  return {
    atMs: Number.isNaN(atMs) ? undefined : atMs,
    level: levelOf(of('level')),
    text: [message, ...others].join(' '),
  };
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}

function readPlain(line: string): LogLine {
  const word = KLOG.exec(line)?.[1] ?? WORD.exec(line)?.[1];
  return { atMs: undefined, level: levelOf(word), text: line };
}

/** Pino has numbers: 10 is trace, 60 is fatal. */
function levelOf(level: unknown): LogLevel | undefined {
  if (typeof level === 'string') return LEVELS.get(level.toLowerCase());
  if (typeof level !== 'number') return undefined;
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
}
