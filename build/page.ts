import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import type { PageAddress } from '../src/controlplane/page/page-addresses.ts';
import { COMPRESSED } from '../src/controlplane/page/page-files.ts';
import { ROUTES } from '../web/address/routes.ts';
import { PAGE_PATH } from '../web/page-path.ts';
import { pageConfig } from '../web/vite.config.ts';
import { type FilesCost, viewsOver } from './first-views.ts';
import { packagesOf, renderLicences } from './licences.ts';

type Route = keyof typeof ROUTES;

/** What was made of the page. */
export interface BuiltPage {
  /** What comes before the first view of a route is there, when nothing is in the browser's cache. */
  readonly firstViews: Readonly<Record<Route, FilesCost>>;
  /** Names of the packages that are part of it. */
  readonly packages: readonly string[];
}

/**
 * Builds the page at `root` into `directory`, which is replaced.
 *
 * @throws Error with the builder's messages, or when a first view costs more than `first-views.ts` says it may
 */
export async function buildPage(root: string, directory: string): Promise<BuiltPage> {
  const { output } = (await build(pageConfig(directory))) as Rolldown.RolldownOutput;
  const chunks = output.filter((one) => one.type === 'chunk');
  const inputs = chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => relative(root, id)));
  const packages = await packagesOf(root, inputs);
  await writeFile(join(directory, 'THIRD-PARTY-LICENSES.txt'), renderLicences(packages));
  const addresses = addressesOf(chunks);
  await writeFile(join(directory, 'addresses.json'), JSON.stringify(addresses));
  const sizes = await compressServed(directory);
  const firstViews = costsOf(addresses, await readFile(join(directory, 'index.html'), 'utf8'), sizes);
  const over = viewsOver(firstViews);
  if (over.length > 0) throw new Error(`the files of a first view cost too much: ${over.join('; ')}`);
  return { firstViews, packages: packages.map(({ name, version }) => `${name}@${version}`) };
}

/**
 * Of each address of the page what its view is loaded from: what the document does not name already. The view of the route `signIn` is
 * the module `sign-in-view.tsx`.
 *
 * @returns what `src/controlplane/page/page-addresses.ts` reads, in the order of the routes
 * @throws Error when a route has no such module
 */
function addressesOf(chunks: readonly Rolldown.OutputChunk[]): readonly PageAddress[] {
  const entries = chunks.filter(({ isEntry }) => isEntry);
  const named = new Set(withImports(chunks, entries).map(({ fileName }) => fileName));
  return Object.entries(ROUTES).map(([route, path]) => {
    const file = `${route.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-view.tsx`;
    const view = chunks.filter(({ facadeModuleId }) => basename(facadeModuleId ?? '') === file);
    if (view.length !== 1)
      throw new Error(`the view of ${path} is to be one chunk of its own, made from ${file}`);
    const loaded = withImports(chunks, view).filter(({ fileName }) => !named.has(fileName));
    const files = loaded.flatMap(({ fileName, viteMetadata }) => [
      fileName,
      ...(viteMetadata?.importedCss ?? []),
    ]);
    return { path, loads: [...new Set(files)].map((name) => `${PAGE_PATH}${name}`) };
  });
}

/** Writes the compressed form of each asset beside it. @returns its size, by the name of the asset */
async function compressServed(directory: string): Promise<ReadonlyMap<string, number>> {
  const folder = join(directory, 'assets');
  const written = (await readdir(folder)).map(async (name) => {
    const body = await readFile(join(folder, name));
    const compressed = await compress(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } });
    await writeFile(join(folder, name + COMPRESSED), compressed);
    return [name, compressed.length] as const;
  });
  return new Map(await Promise.all(written));
}

const compress = promisify(brotliCompress);

/** What the files of each view cost: those that the document names for all views, and its own. @throws Error for one that is not there */
function costsOf(
  addresses: readonly PageAddress[],
  document: string,
  sizes: ReadonlyMap<string, number>,
): BuiltPage['firstViews'] {
  const ofAll = [...document.matchAll(/"([^"]*\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  const sizeOf = (path: string): number => {
    const size = sizes.get(basename(path));
    if (size === undefined) throw new Error(`the page names ${path}, which was not built`);
    return size;
  };
  const costs = Object.keys(ROUTES).map((route, index) => {
    const files = [...ofAll, ...(addresses[index]?.loads ?? [])];
    const bytes = files.reduce((sum, path) => sum + sizeOf(path), 0);
    return [route, { files: files.length, bytes }] as const;
  });
  return Object.fromEntries(costs) as BuiltPage['firstViews'];
}

/** Chunks with those that they cannot run without. */
function withImports(
  chunks: readonly Rolldown.OutputChunk[],
  wanted: readonly Rolldown.OutputChunk[],
): readonly Rolldown.OutputChunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set<Rolldown.OutputChunk>();
  const open = [...wanted];
  for (let chunk = open.pop(); chunk !== undefined; chunk = open.pop()) {
    if (loaded.has(chunk)) continue;
    loaded.add(chunk);
    open.push(...chunk.imports.flatMap((name) => byName.get(name) ?? []));
  }
  return [...loaded];
}
