import { copyFile, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/** Files and packages that the code loads by name while it runs, found while bundling. */
export interface InlinedAssets {
  readonly plugin: Plugin;
  /** Packages that are loaded with `createRequire(import.meta.url)(NAME)`; each becomes `NAME.cjs`. */
  required(): readonly string[];
  /** Copies the files that are found beside the code by `new URL(FILE, import.meta.url)`. */
  copyTo(directory: string): Promise<void>;
}

const ASSET = /new URL\('(\.{1,2}\/[^']+\.(?:cjs|sh|json|br))', import\.meta\.url\)/g;
const REQUIRED = /createRequire\(import\.meta\.url\)\('([a-z][a-z0-9-]*)'\)/g;

/**
 * A bundle is flat, so what the sources name relative to themselves is named relative to the chunk. Pure rewriting of these
 * two forms; any other use of `import.meta.url` to reach a file is refused, because it would fail only when it is run.
 *
 * @param added text for the end of sources, by their absolute paths: esbuild lets only one plugin load a file
 */
export function inlineAssets(added: ReadonlyMap<string, string> = new Map()): InlinedAssets {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  return {
    plugin: {
      name: 'inline-assets',
      setup(build) {
        build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
          const source = (await readFile(path, 'utf8')) + (added.get(path) ?? '');
          if (!source.includes('import.meta.url') && !added.has(path)) return undefined;
          const contents = rewriteAssets(source, {
            asset: (name) => files.set(basename(name), resolve(dirname(path), name)),
            required: (name) => packages.add(name),
          });
          return { contents, loader: 'ts' };
        });
      },
    },
    required: () => [...packages],
    copyTo: async (directory) => {
      for (const [name, from] of files) await copyFile(from, join(directory, name));
    },
  };
}

/** Told of everything that was found. */
export interface FoundAssets {
  asset(path: string): void;
  required(name: string): void;
}

/**
 * The source as it stands in a flat bundle. Pure but for the calls of `found`.
 *
 * @throws Error for a use of `import.meta.url` that it does not understand
 */
export function rewriteAssets(source: string, found: FoundAssets): string {
  const rewritten = source
    .replaceAll(ASSET, (_match, path: string) => {
      found.asset(path);
      return `new URL('./${basename(path)}', import.meta.url)`;
    })
    .replaceAll(REQUIRED, (_match, name: string) => {
      found.required(name);
      return `createRequire(import.meta.url)('./${name}.cjs')`;
    });
  const rest = rewritten
    .replaceAll(/new URL\('\.\/[^'/]+', import\.meta\.url\)/g, '')
    .replaceAll(/createRequire\(import\.meta\.url\)\('\.\/[^']+'\)/g, '');
  const line = rest.split('\n').find((text) => text.includes('import.meta.url'));
  if (line !== undefined) {
    throw new Error(`the bundle cannot keep ${JSON.stringify(line.trim())}; see build/inline-assets.ts`);
  }
  return rewritten;
}
