/** What the browser keeps for the reader: how the page looks, never what it shows. A browser that keeps nothing is no error. */

/** A kept text; null where there is none, or the browser keeps nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets it; where the browser keeps nothing the choice lasts as long as the page. */
export function store(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is switched off, or full.
  }
}
