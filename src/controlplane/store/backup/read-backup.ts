import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '@turnsole/kube/text/error-message';
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
  const head = done === true ? undefined : (parsed(first) as Partial<BackupHead>);
  if (head?.format !== 'turnsole-backup' || head.formatVersion !== 1) {
    throw new BackupError('this is no backup of a turnsole server');
  }
  return { head: head as BackupHead, lines: parsedLines(lines) };
}

async function* parsedLines(lines: AsyncIterable<string>): AsyncGenerator<BackupLine> {
  for await (const line of lines) yield parsed(line) as BackupLine;
}

async function* textLines(source: Readable): AsyncGenerator<string, void> {
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.once('error', (error) => text.destroy(error));
  let rest = '';
  try {
    for await (const piece of text as AsyncIterable<string>) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new BackupError(`the backup cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (rest !== '') yield rest;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new BackupError('the backup is damaged: a line is no JSON', { cause: error });
  }
}
