/** Pauses before a file of the page that could not be loaded is asked for again, in milliseconds. */
const PAUSES_MS = [200, 600, 1200];

/**
 * Loads as `load` does, and tries again for two seconds when that fails: a network interface of the reader's machine that comes or goes is
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
