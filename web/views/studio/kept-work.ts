import type { About } from '../../models/studio/draft.ts';
import { isJson, objectAt, textAt } from '../../models/studio/json.ts';

/** Changes that are not saved. */
export interface KeptWork {
  readonly text: string;
  readonly about: About;
  /** When what they are changes of was stored, as the server says it; empty for a new experiment. */
  readonly base: string;
  /** When they were made, in Unix milliseconds. */
  readonly atMs: number;
}

const PREFIX = 'turnsole-studio ';

/** What the tab has kept of an experiment; undefined where it has nothing. */
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
    // The browser keeps nothing, or something else stands there.
    return undefined;
  }
}

/** Keeps changes for as long as the tab is there; undefined forgets them. */
export function keepWork(place: string, work: Omit<KeptWork, 'atMs'> | undefined): void {
  try {
    if (work === undefined) sessionStorage.removeItem(PREFIX + place);
    else sessionStorage.setItem(PREFIX + place, JSON.stringify({ ...work, atMs: Date.now() }));
  } catch {
    // The browser keeps nothing, or has no room: the question before the tab is closed is left.
  }
}
