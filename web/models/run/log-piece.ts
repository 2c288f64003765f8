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
export function addLines(before: readonly string[], text: string, most: number): readonly string[] {
  if (text === '') return before;
  const lines = text.replace(/\n$/, '').split('\n').map(plainLog);
  return [...before, ...lines].slice(-most);
}

/** Lines that contain a text, case-insensitively; all lines for an empty one. Pure. */
export function linesWith(lines: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  return wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
