/** Where helpers keep their journals on a node; mounted from the node under the same path. */
export const JOURNAL_FOLDER = '/var/lib/turnsole/journal';

/**
 * How a journal's text says which API server its helper works with (`host:port`), as JSON writes it: a program without a reader of JSON
 * finds the journals of a cluster by it.
 */
export function journalMark(server: string): string {
  return `"server":${JSON.stringify(server)}`;
}
