import { useSyncExternalStore } from 'react';
import { THEME_KEY, type Theme, themeOf } from '../../models/theme/theme.ts';
import { readStored, store } from '../stored.ts';

const listeners = new Set<() => void>();
let chosen = themeOf(readStored(THEME_KEY));

/** The reader's choice. */
export function useTheme(): Theme {
  return useSyncExternalStore(listen, () => chosen);
}

/** Changes the colours at once, here and in the other windows of this browser, and stores the choice. */
export function chooseTheme(theme: Theme): void {
  store(THEME_KEY, theme === 'system' ? undefined : theme);
  apply(theme);
}

function apply(theme: Theme): void {
  chosen = theme;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

addEventListener('storage', ({ key, newValue }) => {
  // Another window of this browser; the key is null if the storage was cleared.
  if (key === THEME_KEY || key === null) apply(themeOf(newValue));
});
