import { createHash } from 'node:crypto';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { buildSync } from 'esbuild';
import type { InlineConfig, Plugin } from 'vite';
import { PAGE_PATH } from './page-path.ts';

/** Small modules of nearly every view: together in one file, as each alone would be a request of a few hundred bytes. */
const COMMON =
  /\/web\/(?:models\/words\/(?:duration|plain|score|time|verdict)|parts\/(?:button|command-lines|live|options|time|verdict)\/|address\/(?:fields|return)|views\/(?:state-view|use-))/;

/** Build configuration: everything is in separate files, since the policy forbids inline content. */
export function pageConfig(directory: string): InlineConfig {
  return {
    root: import.meta.dirname,
    base: PAGE_PATH,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [react(), firstScript('before-page.ts')],
    build: {
      outDir: join(directory),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      // The polyfill is an inline script, for browsers that are not supported anyway.
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'common', test: COMMON }] } } },
    },
  };
}

/** A blocking script in a file of its own, since modules run only after the first paint. */
function firstScript(entry: string): Plugin {
  const { outputFiles } = buildSync({
    absWorkingDir: import.meta.dirname,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
  });
  const source = outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const fileName = `assets/before-page-${hash}.js`;
  return {
    name: 'first-script',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `${PAGE_PATH}${fileName}` }, injectTo: 'head-prepend' },
    ],
  };
}
