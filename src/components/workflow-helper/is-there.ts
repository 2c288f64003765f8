import { stat } from 'node:fs/promises';

/** Whether a file or folder exists, followed through links. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
