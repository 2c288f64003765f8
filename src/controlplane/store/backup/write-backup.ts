import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { StoreLocation } from '../open.ts';
import { type BackupHead, type BackupLine, encodeRow } from './lines.ts';
import type { Snapshot } from './source.ts';

/**
 * Writes the current content of the database, as compressed lines of JSON; its server may keep running. The form is the same for both
 * databases. Secrets are sealed by the server's key, which is not in the backup.
 *
 * @returns the number of rows
 * @throws StoreUnavailableError, and what `target` throws
 */
export async function writeBackup(location: StoreLocation, target: Writable, now: number): Promise<number> {
  const snapshot = await openSnapshot(location);
  const counted = { rows: 0 };
  try {
    await pipeline(Readable.from(linesOf(snapshot, now, counted)), createGzip(), target);
    return counted.rows;
  } finally {
    await snapshot.close();
  }
}

async function openSnapshot(location: StoreLocation): Promise<Snapshot> {
  if ('folder' in location) {
    const { sqliteSnapshot } = await import('./sqlite-snapshot.ts');
    return sqliteSnapshot(location.folder);
  }
  const { postgresSnapshot } = await import('./postgres-snapshot.ts');
  return postgresSnapshot(location.url);
}

async function* linesOf(snapshot: Snapshot, at: number, counted: { rows: number }): AsyncGenerator<string> {
  const line = (value: BackupHead | BackupLine): string => `${JSON.stringify(value)}\n`;
  yield line({ format: 'turnsole-backup', formatVersion: 1, versions: snapshot.versions, at });
  for (const head of snapshot.tables) {
    yield line(head);
    for await (const row of snapshot.rows(head)) {
      counted.rows += 1;
      yield line(encodeRow(row));
    }
  }
  yield line({ end: { rows: counted.rows } });
}
