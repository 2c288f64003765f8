import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { PAGE_PATH } from './page-path.ts';

/** How the page is built: everything in files of its own, since its policy forbids what stands inside of others. */
export function pageConfig(directory: string): InlineConfig {
  return {
    root: import.meta.dirname,
    base: PAGE_PATH,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: join(directory),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      // The polyfill is an inline script, for browsers that are too old anyway.
      modulePreload: { polyfill: false },
    },
  };
}
