import { type LogLine, readLogLine } from '../../../src/services/report/log-line.ts';
import { plainLog } from '../words/plain.ts';

/** A piece of a log from an agent. */
interface LogPiece {
  /** Whole lines. */
  readonly text: string;
  /** Whether it is the last one. */
  readonly isLast: boolean;
  /** Why the log cannot be read; undefined if it can. */
  readonly problem: string | undefined;
}

/** The server's text instead of a log. */
const NOT_CONNECTED = 'INFRA ERROR : INFRA NOT CONNECTED';

/**
 * Reads an event of a log: a piece of it from our agents; from others the whole log, or
 * a sentence. Pure.
 */
export function readLogPiece(text: string): LogPiece {
  if (text === NOT_CONNECTED)
    return {
      text: '',
      isLast: true,
      problem: 'the agent is not connected, and logs are read from its cluster',
    };
  const piece = parsed(text);
  if (piece === undefined) return { text, isLast: true, problem: undefined };
  const { mainLogs, chaosLogs, piece: number, isLast, problem } = piece;
  const others = typeof chaosLogs === 'object' && chaosLogs !== null ? Object.values(chaosLogs) : [];
  // For a pod of an engine, the field for the step's log only says that there is none.
  const logs = others.length > 0 ? others : [mainLogs];
  const said = typeof problem === 'string' ? problem : undefined;
  return {
    text: said === undefined ? logs.filter((log) => typeof log === 'string').join('') : '',
    isLast: typeof number !== 'number' || isLast === true,
    problem: said,
  };
}

/** Appends a piece of whole lines, and keeps the last `most` lines. Pure. */
export function addLines(before: readonly LogLine[], text: string, most: number): readonly LogLine[] {
  if (text === '') return before;
  const lines = text.replace(/\n$/, '').split('\n');
  return [...before, ...lines.map(readPlain)].slice(-most);
}

/** JSON has escapes of its own, so what is hidden in it shows only when it is read. */
function readPlain(line: string): LogLine {
  const read = readLogLine(plainLog(line));
  return { ...read, text: plainLog(read.text) };
}

/** Which lines the reader wants to see: all, or those that matter at least so much. */
type LeastLevel = 'all' | 'warn' | 'error';

/** Lines that contain a text, case-insensitively, and matter enough; the same list where all do. Pure. */
export function linesWith(
  lines: readonly LogLine[],
  text: string,
  least: LeastLevel = 'all',
): readonly LogLine[] {
  const wanted = text.toLowerCase();
  if (wanted === '' && least === 'all') return lines;
  return lines.filter(
    (line) => matters(line, least) && (wanted === '' || line.text.toLowerCase().includes(wanted)),
  );
}

function matters({ level }: LogLine, least: LeastLevel): boolean {
  return least === 'all' || level === 'error' || (least === 'warn' && level === 'warn');
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
