import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
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
  const firstViewBytes = await sizeOfFirstView(directory, chunks);
  if (firstViewBytes > MOST_FIRST_VIEW_BYTES) {
    throw new Error(
      `the first view loads ${firstViewBytes} bytes of compressed script, at most ${MOST_FIRST_VIEW_BYTES} may be`,
    );
  }
  return { firstViewBytes, packages: packages.map(({ name, version }) => `${name}@${version}`) };
}

async function sizeOfFirstView(directory: string, chunks: readonly Rolldown.OutputChunk[]): Promise<number> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const wanted = chunks.filter(
    ({ isEntry, facadeModuleId }) => isEntry || facadeModuleId?.endsWith(FIRST_VIEW) === true,
  );
  const open = wanted.map(({ fileName }) => fileName);
  const loaded = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    open.push(...(byName.get(name)?.imports ?? []));
  }
  const sizes = await Promise.all(
    [...loaded].map(async (name) => gzipSync(await readFile(join(directory, name))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
