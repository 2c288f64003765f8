/** A store's changes on disk. See ../README.md. Loaded only by clusters with a data folder. */
export { DATABASE } from './database.ts';
export { DataFolderError, type DataFolderProblem, JournalError } from './errors.ts';
export { SqliteJournal, type SqliteJournalOptions } from './sqlite-journal.ts';
