import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import type { BackupHead, BackupLine } from './lines.ts';

/** The input is no backup, or an incomplete one. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A backup during reading. */
interface OpenBackup {
  readonly head: BackupHead;
  /** The lines after the head; ends with the last line, or throws. */
  readonly lines: AsyncIterable<BackupLine>;
}

/** Starts reading a backup. @throws BackupError */
export async function readBackup(source: Readable): Promise<OpenBackup> {
  const lines = textLines(source);
  const { value: first, done } = await lines.next();
  const head = done === true ? undefined : parsed(first);
  if (!isObject(head) || head.format !== 'turnsole-backup' || head.formatVersion !== 1) {
    throw new BackupError('this is no backup of a turnsole server');
  }
  if (!Array.isArray(head.versions) || !head.versions.every(Number.isSafeInteger)) {
    throw new BackupError('the backup is damaged: its versions are no list of numbers');
  }
  return { head: head as unknown as BackupHead, lines: parsedLines(lines) };
}

async function* parsedLines(lines: AsyncIterable<string>): AsyncGenerator<BackupLine> {
  for await (const line of lines) yield checkedLine(parsed(line));
}

/** Larger than any row that the server stores. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

async function* textLines(source: Readable): AsyncGenerator<string, void> {
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.once('error', (error) => text.destroy(error));
  let begun: string[] = [];
  let characters = 0;
  try {
    for await (const piece of text as AsyncIterable<string>) {
      const [first = '', ...others] = piece.split('\n');
      begun.push(first);
      characters += first.length;
      if (characters > MOST_CHARACTERS) throw new BackupError('the backup is damaged: a line has no end');
      const rest = others.pop();
      if (rest === undefined) continue;
      yield begun.join('');
      yield* others;
      begun = [rest];
      characters = rest.length;
    }
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`the backup cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (characters > 0) yield begun.join('');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BackupError('the backup is damaged: a line is no JSON', { cause: error });
  }
}

/** A line of the form that a backup has. @throws BackupError */
function checkedLine(line: unknown): BackupLine {
  if (Array.isArray(line) ? line.every(isEncodedValue) : isObject(line) && (isEnd(line) || isTableHead(line)))
    return line as unknown as BackupLine;
  throw new BackupError('the backup is damaged: a line is neither a table, a row nor the end');
}

function isEncodedValue(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'number') return true;
  return isObject(value) && Object.keys(value).length === 1 && typeof value.base64 === 'string';
}

function isEnd({ end }: Readonly<Record<string, unknown>>): boolean {
  return isObject(end) && isCount(end.rows);
}

function isTableHead({ table, columns, counter }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof table === 'string' &&
    Array.isArray(columns) &&
    columns.length > 0 &&
    columns.every((column) => typeof column === 'string') &&
    new Set(columns).size === columns.length &&
    (counter === undefined || isCount(counter))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
