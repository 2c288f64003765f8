/** Runs before anything is painted, so that a page in the colours of the reader's choice never shows the others for a moment. */
import { THEME_KEY, themeOf } from './models/theme/theme.ts';
import { readStored } from './parts/stored.ts';

const theme = themeOf(readStored(THEME_KEY));
if (theme !== 'system') document.documentElement.dataset.theme = theme;
