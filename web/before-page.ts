/** Runs before the first paint: the page never flashes in other colours than the reader's choice, and style sheets that are lost come back. */
import { THEME_KEY, themeOf } from './models/theme/theme.ts';
import { keepStyles } from './parts/lazy-view/keep-styles.ts';
import { readStored } from './parts/stored.ts';

const theme = themeOf(readStored(THEME_KEY));
if (theme !== 'system') document.documentElement.dataset.theme = theme;
keepStyles(document, window);
