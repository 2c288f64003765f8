import type { Clock } from '@turnsole/kube/base/clock';
import { openDatabase } from '../journal/database.ts';
import { SqliteJournal } from '../journal/sqlite-journal.ts';

/** A journal on a disk that a test fills and makes room on. */
export interface LimitedJournal {
  readonly journal: SqliteJournal;
  /** Lets the database grow to so many pages (but never below its size) and no further. */
  readonly limitPages: (pages: number) => void;
}

/** @throws DataFolderError when the folder cannot be used */
export function openLimitedJournal(directory: string, clock?: Clock): LimitedJournal {
  const database = openDatabase(directory);
  return {
    journal: new SqliteJournal({ directory, database, clock }),
    limitPages: (pages) => database.exec(`PRAGMA max_page_count = ${pages}`),
  };
}
