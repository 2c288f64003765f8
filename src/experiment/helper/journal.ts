import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject } from '@turnsole/kube/text/json';
import type { LedgerEntry } from '../../api/index.ts';
import { describeError } from '../injection/errors.ts';

export { JOURNAL_FOLDER } from '../../chaos/journal-folder.ts';

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
  /** The helper itself: when its pod is at work no more, the component that finds this reverts it. */
  readonly pod: string;
  readonly entries: readonly LedgerEntry[];
}

/**
 * A file on the node that records what its helper injects, written and synced before the first side effect: the next helper there can
 * revert it even when the ChaosResult is gone.
 */
export class JournalFile {
  readonly #folder: string;
  readonly #record: Omit<JournalRecord, 'entries'>;
  #wanted: readonly LedgerEntry[] = [];
  #stored: readonly LedgerEntry[] | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, record: Omit<JournalRecord, 'entries'>) {
    this.#folder = folder;
    this.#record = record;
  }

  /**
   * Stores these entries in place of the stored ones; without entries it deletes the file. Resolves when the disk has them, or newer
   * ones: one write at a time, and always the newest.
   *
   * @throws the file system's error
   */
  write(entries: readonly LedgerEntry[]): Promise<void> {
    this.#wanted = entries;
    this.#writing = this.#writing.catch(() => {}).then(() => this.#store());
    return this.#writing;
  }

  async #store(): Promise<void> {
    const entries = this.#wanted;
    if (entries === this.#stored) return;
    await storeRecord(this.#folder, { ...this.#record, entries });
    this.#stored = entries;
  }
}

/** Writes a journal, and the names in its folder, to the disk; one without entries is removed. */
async function storeRecord(folder: string, record: JournalRecord): Promise<void> {
  const path = join(folder, `${record.namespace}_${record.pod}.json`);
  if (record.entries.length === 0) {
    await rm(path, { force: true });
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}${DRAFT}`;
  try {
    await writeSynced(draft, JSON.stringify({ ...record, checksum: checksumOf(record) }));
    await rename(draft, path);
  } catch (error) {
    // A full disk leaves the beginning of it.
    await rm(draft, { force: true });
    throw error;
  }
  const names = await open(folder, 'r');
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file is written under this ending, and renamed when it is complete. */
const DRAFT = '.new';
/** A draft this old is one whose writer has died: writing takes milliseconds. */
const DEAD_DRAFT_MS = 10_000;

/** Removes the drafts of writers that died in the middle; they are of no use. */
export async function removeDeadDrafts(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(`.json${DRAFT}`)) continue;
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written !== undefined && nowMs - written.mtimeMs > DEAD_DRAFT_MS) await rm(path, { force: true });
  }
}

/**
 * Takes entries that another component has reverted out of the journals of dead helpers on this node, so that they are not reverted again.
 * Their ids are enough: they begin with those of runs, which no two clusters share, while the address of a development cluster's
 * server may be another one when it is started again.
 */
export async function forgetEntries(folder: string, ids: ReadonlySet<string>): Promise<void> {
  for (const { record } of await readJournals(folder)) {
    if (!record.entries.some(({ id }) => ids.has(id))) continue;
    await storeRecord(folder, { ...record, entries: record.entries.filter(({ id }) => !ids.has(id)) });
  }
}

/** A journal that was found, and the file it stands in. */
export interface FoundJournal {
  readonly path: string;
  readonly record: JournalRecord;
}

/** What a folder of journals has. */
interface JournalFolder {
  readonly journals: readonly FoundJournal[];
  /** Files that should be journals and are not what their helper wrote: what they say cannot be relied on. */
  readonly damaged: readonly string[];
  /** Journals whose words are not known. */
  readonly unread: readonly UnreadJournal[];
}

/** A journal that could not be read, or that a newer helper wrote; its name says whose it is all the same. */
export interface UnreadJournal {
  readonly path: string;
  readonly owner: Pick<JournalRecord, 'namespace' | 'pod'>;
  /** As in {@link JournalRecord.server}, where that much of it is known. */
  readonly server: string | undefined;
  /** Why, as the end of a sentence about it. */
  readonly why: string;
}

/**
 * The journals of a folder; none when the folder does not exist, or is not for this user. Ignores files of other names, and those that this
 * user may not read: they are of helpers with more rights.
 *
 * @throws the file system's error when the folder is there and cannot be listed
 */
export async function readJournalFolder(folder: string): Promise<JournalFolder> {
  const found = { journals: [] as FoundJournal[], damaged: [] as string[], unread: [] as UnreadJournal[] };
  for (const name of await readdir(folder).catch(unlessAbsent<string[]>([]))) {
    const [, namespace, pod] = JOURNAL_NAME.exec(name) ?? [];
    if (namespace === undefined || pod === undefined) continue;
    const path = join(folder, name);
    const unread = (why: string, server?: string): void =>
      void found.unread.push({ path, owner: { namespace, pod }, server, why });
    try {
      // Its helper may have removed it by now.
      const text = await readFile(path, 'utf8').catch(unlessAbsent(undefined));
      const record = text === undefined ? undefined : readRecord(text);
      if (record === 'damaged') found.damaged.push(path);
      else if (record !== undefined && 'newerOf' in record)
        unread('is of a newer version of this program', record.newerOf);
      else if (record !== undefined) found.journals.push({ path, record });
    } catch (error) {
      unread(`cannot be read: ${describeError(error)}`);
    }
  }
  return found;
}

/** Answers of a file system by which nothing is there for this user. */
const ABSENT: readonly unknown[] = ['ENOENT', 'EACCES', 'EPERM'];

/** What to do with an error of the file system: nothing there is `value`, and all else is thrown. */
function unlessAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && ABSENT.includes(error.code)) return value;
    throw error;
  };
}

/** The whole journals of a folder. */
export async function readJournals(folder: string): Promise<readonly FoundJournal[]> {
  return (await readJournalFolder(folder)).journals;
}

/** Takes a damaged journal out of the way: it is told of once. */
export async function setAside(path: string): Promise<void> {
  await rename(path, `${path}${DAMAGED}`);
}

/** That of its namespace and its helper's pod, neither of which has an underscore. */
const JOURNAL_NAME = /^([^_]+)_([^_]+)\.json$/;
const DAMAGED = '.damaged';
/** Fields of journals of before checksums. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['version', 'server', 'namespace', 'result', 'runId', 'pod', 'entries'],
]);

/** A bit that a disk has turned must not revert something else: another process, another file. */
function checksumOf(record: object): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex');
}

/** A journal of a later version, which has its server where this version has it, or nobody knows where. */
interface NewerJournal {
  readonly newerOf: string | undefined;
}

function readRecord(text: string): JournalRecord | NewerJournal | 'damaged' {
  const { checksum, ...record } = parseObject(text) ?? {};
  const isWhole =
    checksum === undefined
      ? Object.keys(record).every((name) => FIELDS.has(name))
      : checksum === checksumOf(record);
  if (!isWhole) return 'damaged';
  if (typeof record.version === 'number' && record.version > 1)
    return { newerOf: typeof record.server === 'string' ? record.server : undefined };
  // Each field is checked before it is used.
  const { server, namespace, result, runId, pod, entries } = record as Partial<JournalRecord>;
  const hasTexts = [server, namespace, result, runId, pod].every((field) => typeof field === 'string');
  if (record.version !== 1 || !hasTexts || !Array.isArray(entries)) return 'damaged';
  return record as unknown as JournalRecord;
}
