import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerEntry } from '../../api/index.ts';

/** Where helpers keep their journals on a node; mounted from the node under the same path. */
export const JOURNAL_FOLDER = '/var/lib/turnsole/journal';
/** Variable that names another folder. */
export const JOURNAL_VARIABLE = 'TURNSOLE_JOURNAL';

/** What one helper is about to have in force on its node, or has. */
export interface JournalRecord {
  readonly version: 1;
  /** The API server it works with: several clusters may share a machine in development. */
  readonly server: string;
  readonly namespace: string;
  readonly result: string;
  readonly runId: string;
  /** The helper itself: when its pod is at work no more, whoever finds this reverts it. */
  readonly pod: string;
  readonly entries: readonly LedgerEntry[];
}

/**
 * A file on the node that says what its helper injects, written and synced before the first side effect: what is in force can be
 * reverted by the next helper there even when the ChaosResult is gone.
 */
export class Journal {
  readonly #folder: string;
  readonly #record: Omit<JournalRecord, 'entries'>;

  constructor(folder: string, record: Omit<JournalRecord, 'entries'>) {
    this.#folder = folder;
    this.#record = record;
  }

  /**
   * Stores these entries in place of what was stored before; none: the file goes. Resolves when the disk has it.
   *
   * @throws what the file system says
   */
  async write(entries: readonly LedgerEntry[]): Promise<void> {
    const path = join(this.#folder, `${this.#record.namespace}_${this.#record.pod}.json`);
    if (entries.length === 0) {
      await rm(path, { force: true });
      return;
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${path}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      const record: JournalRecord = { ...this.#record, entries };
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** A journal that was found, and the file it stands in. */
export interface FoundJournal {
  readonly path: string;
  readonly record: JournalRecord;
}

/** The journals of a folder; none when there is no such folder. A file that is no journal is left alone. */
export async function readJournals(folder: string): Promise<FoundJournal[]> {
  const names = await readdir(folder).catch(() => []);
  const found: FoundJournal[] = [];
  for (const name of names) {
    if (!name.endsWith('.json')) continue;
    const path = join(folder, name);
    const record = parseRecord(await readFile(path, 'utf8').catch(() => ''));
    if (record !== undefined) found.push({ path, record });
  }
  return found;
}

function parseRecord(text: string): JournalRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  // Each field is looked at before it is believed.
  const record = value as Partial<JournalRecord>;
  const texts = [record.server, record.namespace, record.result, record.runId, record.pod];
  if (record.version !== 1 || !texts.every((text_) => typeof text_ === 'string')) return undefined;
  return Array.isArray(record.entries) ? (record as JournalRecord) : undefined;
}
