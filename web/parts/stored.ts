/** Settings of the page's appearance in the browser's storage, never its data. A browser without storage is no error. */

/** A stored text; null if there is none, or no storage. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores or removes a text; without storage the choice lasts as long as the page. */
export function store(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is switched off, or full.
  }
}
