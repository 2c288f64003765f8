/** Which colours a reader wants: those of their system, or always the same. */
export type Theme = 'system' | 'light' | 'dark';

/** Every choice with the words for it. */
export const THEMES: readonly (readonly [theme: Theme, words: string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Under which name the choice is kept in the browser. */
export const THEME_KEY = 'turnsole.theme';

/** The choice that a kept text means; that of the system for any other text. Pure. */
export function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}
