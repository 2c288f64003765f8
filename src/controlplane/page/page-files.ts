import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type PageAddress, withLoads } from './page-addresses.ts';

/** A file of the page as it is sent. */
export interface PageFile {
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly type: string;
}

/** The built page: its document, and what that loads, by names that change with their content. */
export interface PageFiles {
  /** Of an address that no view has. */
  readonly document: PageFile;
  /** Of the views, by their addresses: the document, with what the view is loaded from. */
  readonly documents: readonly { readonly path: string; readonly document: PageFile }[];
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** What the build adds to the name of a file for its compressed form, so that no server compresses at its start what is the same for all. */
export const COMPRESSED = '.gz';

/** What the build tells of the views: a list of `PageAddress`. */
const ADDRESSES_FILE = 'addresses.json';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const compressed = promisify(gzip);

/**
 * Reads a built page into memory, some hundred kB, so that a request can name nothing else of the disk.
 *
 * @returns undefined when there is none in `folder`: a checkout in which `npm run build` was not run
 */
export async function readPageFiles(folder: string): Promise<PageFiles | undefined> {
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
  const document = await read('index.html');
  const addresses = JSON.parse(
    await readFile(join(folder, ADDRESSES_FILE), 'utf8'),
  ) as readonly PageAddress[];
  const documents = addresses.map(async ({ path, loads }) => {
    const body = Buffer.from(withLoads(document.body.toString(), loads));
    return { path, document: { ...document, body, gzipped: await compressed(body) } };
  });
  return { document, documents: await Promise.all(documents), assets: new Map(assets) };
}
