/** The reader's choice of colours: those of the system, or always the same. */
export type Theme = 'system' | 'light' | 'dark';

/** Every choice with the words for it. */
export const THEMES: readonly (readonly [theme: Theme, words: string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Name of the stored choice in the browser. */
export const THEME_KEY = 'turnsole.theme';

/** The choice in a stored text; `system` for any other text. Pure. */
export function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}
