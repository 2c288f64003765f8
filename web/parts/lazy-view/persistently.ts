/** Pauses between attempts to load a file of the page, in milliseconds. */
export const PAUSES_MS = [200, 600, 1200];

/**
 * Calls `load`, and retries for two seconds if it fails: a network interface that appears or disappears on the reader's machine is
 * enough to break a request.
 *
 * @param load imports a file of the page
 */
export async function persistently<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}
