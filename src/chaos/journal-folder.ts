/** Where helpers keep their journals on a node; mounted from the node under the same path. */
export const JOURNAL_FOLDER = '/var/lib/turnsole/journal';

/**
 * The part of a journal's JSON that names its helper's API server (`host:port`). The reaper of an embedded cluster, a shell script,
 * searches journals for this text to find those of its cluster.
 */
export function journalMark(server: string): string {
  return `"server":${JSON.stringify(server)}`;
}
