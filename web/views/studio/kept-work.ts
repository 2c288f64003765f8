import { isJson, objectAt, textAt } from '../../models/json/json.ts';
import type { About } from '../../models/studio/draft.ts';

/** Unsaved changes. */
export interface KeptWork {
  readonly text: string;
  readonly about: About;
  /** The server's time of the base version; empty for a new experiment. */
  readonly base: string;
  /** When they were made, in Unix milliseconds. */
  readonly atMs: number;
}

const PREFIX = 'turnsole-studio ';

/** The tab's stored changes of an experiment; undefined if there are none. */
export function keptWork(place: string): KeptWork | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(PREFIX + place) ?? 'null');
    if (!isJson(value) || typeof value.text !== 'string') return undefined;
    const about = objectAt(value, 'about');
    return {
      text: value.text,
      about: { description: textAt(about, 'description'), infraID: textAt(about, 'infraID') },
      base: textAt(value, 'base'),
      atMs: Number(value.atMs),
    };
  } catch {
    // No storage, or another value.
    return undefined;
  }
}

/** Stores changes for the lifetime of the tab; undefined removes them. */
export function keepWork(place: string, work: Omit<KeptWork, 'atMs'> | undefined): void {
  try {
    if (work === undefined) sessionStorage.removeItem(PREFIX + place);
    else sessionStorage.setItem(PREFIX + place, JSON.stringify({ ...work, atMs: Date.now() }));
  } catch {
    // No storage, or no room: the question before closing the tab remains.
  }
}
