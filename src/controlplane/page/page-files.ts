import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ofCluster, type PageAddress, withLoads } from './page-addresses.ts';

/** A file of the page, ready to send. */
export interface PageFile {
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly type: string;
}

/** The built page: its document and its assets, whose names change with their content. */
export interface PageFiles {
  /** For addresses without a view. */
  readonly document: PageFile;
  /** For the views, by address: the document with the files of the view. */
  readonly documents: readonly { readonly path: string; readonly document: PageFile }[];
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Suffix of compressed files from the build, so that servers need not compress them at startup. */
export const COMPRESSED = '.gz';

/** The views, written by the build: a list of `PageAddress`. */
const ADDRESSES_FILE = 'addresses.json';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const compressed = promisify(gzip);

/**
 * Reads a built page into memory, some hundred kB, so that a request can reach no other file.
 *
 * @param watchesCluster whether its server watches a cluster itself
 * @returns undefined if there is none in `folder`: a checkout without `npm run build`
 */
export async function readPageFiles(folder: string, watchesCluster: boolean): Promise<PageFiles | undefined> {
  const names = await readdir(join(folder, 'assets')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined) return undefined;
  const read = async (path: string): Promise<PageFile> => {
    const [body, gzipped] = await Promise.all([
      readFile(join(folder, path)),
      readFile(join(folder, path + COMPRESSED)),
    ]);
    return { body, gzipped, type: TYPES[extname(path)] ?? 'application/octet-stream' };
  };
  const plain = names.filter((name) => !name.endsWith(COMPRESSED));
  const assets = await Promise.all(
    plain.map(async (name) => [name, await read(join('assets', name))] as const),
  );
  const written = await read('index.html');
  const withText = async (text: string): Promise<PageFile> => {
    const body = Buffer.from(text);
    return { ...written, body, gzipped: await compressed(body) };
  };
  const document = watchesCluster ? await withText(ofCluster(written.body.toString())) : written;
  const addresses = JSON.parse(
    await readFile(join(folder, ADDRESSES_FILE), 'utf8'),
  ) as readonly PageAddress[];
  const documents = addresses.map(async ({ path, loads }) => ({
    path,
    document: await withText(withLoads(document.body.toString(), loads)),
  }));
  return { document, documents: await Promise.all(documents), assets: new Map(assets) };
}
