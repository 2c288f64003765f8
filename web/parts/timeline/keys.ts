import type { Step } from '../../models/timeline/walk.ts';

/** What a key does on the time axis. */
export type Command =
  | { readonly do: 'walk'; readonly step: Step }
  | { readonly do: 'zoom'; readonly factor: number }
  | { readonly do: 'pan'; readonly share: number }
  | { readonly do: 'fit' | 'open' | 'clear' | 'help' | 'table' };

/** Keys and their functions, for the list of `?`. */
export const KEY_LIST: readonly (readonly [keys: string, does: string])[] = [
  ['← →', 'previous or next mark of the lane'],
  ['↑ ↓', 'nearest mark of the lane above or below'],
  ['Home End', 'first or last mark of the lane'],
  ['Shift ← →', 'move along the run'],
  ['+ −', 'zoom'],
  ['f', 'fit the whole run'],
  ['t', 'the same marks as a table, and back'],
  ['Enter', 'open what is selected'],
  ['Esc', 'select nothing'],
  ['?', 'this list'],
];

const COMMANDS: Readonly<Record<string, Command>> = {
  ArrowRight: { do: 'walk', step: 'next' },
  ArrowLeft: { do: 'walk', step: 'previous' },
  ArrowDown: { do: 'walk', step: 'below' },
  ArrowUp: { do: 'walk', step: 'above' },
  Home: { do: 'walk', step: 'first' },
  End: { do: 'walk', step: 'last' },
  '+': { do: 'zoom', factor: 0.5 },
  '=': { do: 'zoom', factor: 0.5 },
  '-': { do: 'zoom', factor: 2 },
  f: { do: 'fit' },
  t: { do: 'table' },
  Enter: { do: 'open' },
  Escape: { do: 'clear' },
  '?': { do: 'help' },
};

/** The command of a key; undefined for keys of the browser. Pure. */
export function commandOf({
  key,
  shiftKey,
  ctrlKey,
  altKey,
  metaKey,
}: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey'>): Command | undefined {
  if (ctrlKey || altKey || metaKey) return undefined;
  if (shiftKey && key === 'ArrowRight') return { do: 'pan', share: 0.25 };
  if (shiftKey && key === 'ArrowLeft') return { do: 'pan', share: -0.25 };
  return COMMANDS[key];
}
