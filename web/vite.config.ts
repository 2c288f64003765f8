import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { buildSync } from 'esbuild';
import type { InlineConfig, Plugin } from 'vite';
import { PAGE_PATH } from './page-path.ts';

/** What the builder adds of its own; it has no path. */
const OF_BUILDER = /^vite\//;

/**
 * Modules of the page that are in one file, as each alone would be a request of a few hundred bytes. A module is in the first group that
 * has it, and takes along what it imports, so the order is from what all views need to what few do. What a view costs then is in
 * `build/first-views.ts`.
 */
const GROUPS = [
  inOneFile('common', [
    'vite/preload-helper',
    '../node_modules/react-dom/(?:index|cjs/react-dom\\.production)',
    'models/(?:json/|words/(?:duration|found|plain|score|time|verdict))',
    'parts/(?:(?:button|command-lines|dialog|lazy-view|live|menu|options|time|verdict)/|stored)',
    'parts/table/column-kinds',
    'address/(?:compare|fields|return)',
    'views/(?:action-button|confirm-dialog|form|keys/use-key|page-head|pages|state-view|use-)',
    'views/(?:experiments/generated/experiments|runs/run-mark)',
    '(?:styles|parts/(?:panel|table|timeline)|views|views/(?:frame|keys))/[^/]+\\.css$',
    'views/studio/(?:next-times|plan|try-probe)\\.css$',
    '../src/api/probe-types/',
  ]),
  inOneFile('table', [
    'models/run/commands',
    'parts/table/',
    'views/(?:list-parts|experiments/experiment-actions|run/generated/run)',
  ]),
  inOneFile('lists', ['models/words/schedule', 'views/runs/(?:run-columns|run-filters|generated/)']),
  inOneFile('schedule', ['(?:models|views)/studio/next-times']),
  inOneFile('yaml', ['views/studio/(?:origin|read-yaml|yaml-form)']),
  inOneFile('studio', [
    'views/(?:hubs/(?:generated/|kubernetes-first)|probes/(?:generated/)?probe-request|random-id)',
    'models/studio/live-target',
    'views/studio/(?:cluster-lists|generated/studio|plan-panel|try-probe)',
  ]),
  inOneFile('run', ['views/run/(?:axis-panel|compare-link|lighting|run-model|step-list|use-run)\\.']),
];

/** @param modules how their paths begin, in `web/` */
function inOneFile(
  name: string,
  modules: readonly string[],
): { readonly name: string; readonly test: RegExp } {
  const paths = modules.map((path) => (OF_BUILDER.test(path) ? path : join(import.meta.dirname, path)));
  return { name, test: new RegExp(paths.join('|')) };
}

/** Build configuration: everything is in separate files, since the policy forbids inline content. */
export function pageConfig(directory: string): InlineConfig {
  return {
    root: import.meta.dirname,
    base: PAGE_PATH,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [react(), firstScript('before-page.ts'), icon('icon.svg')],
    build: {
      outDir: join(directory),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      // The polyfill is an inline script, for browsers that are not supported anyway.
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
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

/** The icon within the document: the policy allows it there, and it is no request. */
function icon(path: string): Plugin {
  const svg = readFileSync(join(import.meta.dirname, path), 'utf8').trim();
  const attrs = { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(svg)}` };
  return { name: 'icon', transformIndexHtml: () => [{ tag: 'link', attrs, injectTo: 'head' }] };
}
