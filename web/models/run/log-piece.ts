import { plainLog } from '../words/plain.ts';

/** A piece of a log, as an agent tells it. */
interface LogPiece {
  /** Whole lines. */
  readonly text: string;
  /** Whether nothing comes behind it. */
  readonly isLast: boolean;
  /** Why the log cannot be read; undefined where it can. */
  readonly problem: string | undefined;
}

/** What a server says instead of a log. */
const NOT_CONNECTED = 'INFRA ERROR : INFRA NOT CONNECTED';

/**
 * Reads what comes for a log: a piece of it from our agents; from others all of it at once, or
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
  // Where a pod of an engine was asked for, what stands in the place of a step's log says only that there is none.
  const logs = others.length > 0 ? others : [mainLogs];
  const said = typeof problem === 'string' ? problem : undefined;
  return {
    text: said === undefined ? logs.filter((log) => typeof log === 'string').join('') : '',
    isLast: typeof number !== 'number' || isLast === true,
    problem: said,
  };
}

/** The lines after a piece of whole lines, of which the last `most` are kept. Pure. */
export function addLines(before: readonly string[], text: string, most: number): readonly string[] {
  if (text === '') return before;
  const lines = text.replace(/\n$/, '').split('\n').map(plainLog);
  return [...before, ...lines].slice(-most);
}

/** Lines that hold a text, in whatever case; all of them for an empty one. Pure. */
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
