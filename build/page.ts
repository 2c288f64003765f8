import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import type { PageAddress } from '../src/controlplane/page/page-addresses.ts';
import { COMPRESSED } from '../src/controlplane/page/page-files.ts';
import { ROUTES } from '../web/address/routes.ts';
import { PAGE_PATH } from '../web/page-path.ts';
import { pageConfig } from '../web/vite.config.ts';
import { packagesOf, renderLicences } from './licences.ts';

/** What was made of the page. */
export interface BuiltPage {
  /** Compressed script that has to come before the first view of a run is there, in bytes. */
  readonly firstViewBytes: number;
  /** Names of the packages that are part of it. */
  readonly packages: readonly string[];
}

/** More script than this a first view may not wait for: compressed, in bytes. */
const MOST_FIRST_VIEW_BYTES = 250_000;

/** The view that most readers come for first: links in messages and from CI lead to it. */
const FIRST_VIEW = 'views/run/run-view.tsx';

/**
 * Builds the page at `root` into `directory`, which is replaced.
 *
 * @throws Error with the builder's messages, or when the first view has become too large
 */
export async function buildPage(root: string, directory: string): Promise<BuiltPage> {
  const { output } = (await build(pageConfig(directory))) as Rolldown.RolldownOutput;
  const chunks = output.filter((one) => one.type === 'chunk');
  const inputs = chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => relative(root, id)));
  const packages = await packagesOf(root, inputs);
  await writeFile(join(directory, 'THIRD-PARTY-LICENSES.txt'), renderLicences(packages));
  await writeFile(join(directory, 'addresses.json'), JSON.stringify(addressesOf(chunks)));
  await compressServed(directory);
  const firstViewBytes = await sizeOfFirstView(directory, chunks);
  if (firstViewBytes > MOST_FIRST_VIEW_BYTES) {
    throw new Error(
      `the first view loads ${firstViewBytes} bytes of compressed script, at most ${MOST_FIRST_VIEW_BYTES} may be`,
    );
  }
  return { firstViewBytes, packages: packages.map(({ name, version }) => `${name}@${version}`) };
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

/** Writes the compressed form of the document and of each asset beside it. */
async function compressServed(directory: string): Promise<void> {
  const assets = await readdir(join(directory, 'assets'));
  const served = ['index.html', ...assets.map((name) => join('assets', name))];
  for (const path of served) {
    const body = await readFile(join(directory, path));
    await writeFile(
      join(directory, path + COMPRESSED),
      gzipSync(body, { level: constants.Z_BEST_COMPRESSION }),
    );
  }
}

async function sizeOfFirstView(directory: string, chunks: readonly Rolldown.OutputChunk[]): Promise<number> {
  const wanted = chunks.filter(
    ({ isEntry, facadeModuleId }) => isEntry || facadeModuleId?.endsWith(FIRST_VIEW) === true,
  );
  const sizes = await Promise.all(
    withImports(chunks, wanted).map(
      async ({ fileName }) => (await stat(join(directory, fileName + COMPRESSED))).size,
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
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
