import { THEMES } from '../../models/theme/theme.ts';
import type { PaletteItem } from '../../parts/palette/palette.tsx';
import { chooseTheme } from '../../parts/theme/theme.ts';

/** Items of every page. */
export const COMMON_ITEMS: readonly PaletteItem[] = [
  {
    ...{ id: 'copy', kind: 'Do', label: 'Copy the link of this view', words: 'share address url' },
    act: () => void navigator.clipboard?.writeText(location.href),
  },
  ...THEMES.map(([theme, words]) => ({
    ...{ id: `theme ${theme}`, kind: 'Do', label: `Colours: ${words.toLowerCase()}`, words: 'theme mode' },
    act: () => chooseTheme(theme),
  })),
];
