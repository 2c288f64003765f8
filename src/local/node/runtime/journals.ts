import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JOURNAL_FOLDER, journalMark } from '../../../chaos/journal-folder.ts';

/**
 * Removes the journals that helpers of a cluster have left on this machine. Their faults were in pods of that cluster and
 * ended with these: call it when no pod is left.
 *
 * @param server `host:port` by which its pods know the API server; no other cluster of this machine has it
 */
export async function removeJournals(server: string, folder: string = JOURNAL_FOLDER): Promise<void> {
  const mark = journalMark(server);
  const names = await readdir(folder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const text = await readFile(path, 'utf8').catch(() => '');
      if (text.includes(mark)) await rm(path, { force: true }).catch(() => {});
    }),
  );
}
