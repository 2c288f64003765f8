/** Runs before the first paint, so that the page never flashes in other colours than the reader's choice. */
import { THEME_KEY, themeOf } from './models/theme/theme.ts';
import { readStored } from './parts/stored.ts';

const theme = themeOf(readStored(THEME_KEY));
if (theme !== 'system') document.documentElement.dataset.theme = theme;
