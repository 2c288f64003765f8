import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Files outside of a cluster's folders in which programs of its pods keep, on this machine, what they have in force. */
export interface Journals {
  readonly folder: string;
  /** Text that those of one cluster hold. @param server `host:port` by which its pods know the API server; no other cluster has it */
  mark(server: string): string;
}

/**
 * Removes the journals that programs of a cluster's pods have left on this machine. What they record was in force in those pods and has
 * ended with them: call it when no pod is left.
 */
export async function removeJournals(folder: string, mark: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const text = await readFile(path, 'utf8').catch(() => '');
      if (text.includes(mark)) await rm(path, { force: true }).catch(() => {});
    }),
  );
}
