import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { ofCluster, type PageAddress, withLoads } from './page-addresses.ts';

/** How a file can be sent smaller than it is, by its name in HTTP: the smallest first. Browsers take the first over HTTPS and from their own machine only. */
export const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const COMPRESS = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };

/** A file of the page, ready to send. */
export class PageFile {
  readonly body: Buffer;
  readonly type: string;
  readonly #compressed: Partial<Record<Encoding, Promise<Buffer>>> = {};

  /** @param brotli its compressed form, where the build has made it */
  constructor(body: Buffer, type: string, brotli?: Buffer) {
    this.body = body;
    this.type = type;
    if (brotli !== undefined) this.#compressed.br = Promise.resolve(brotli);
  }

  /** Compressed at the first call, unless the build has done so. */
  compressed(encoding: Encoding): Promise<Buffer> {
    this.#compressed[encoding] ??= COMPRESS[encoding](this.body);
    return this.#compressed[encoding];
  }
}

/** The built page: its document and its assets, whose names change with their content. */
export interface PageFiles {
  /** For addresses without a view. */
  readonly document: PageFile;
  /** For the views, by address: the document with the files of the view. */
  readonly documents: readonly { readonly path: string; readonly document: PageFile }[];
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Suffix of compressed files from the build: the best compression takes seconds for all of them. */
export const COMPRESSED = '.br';

/** The views, written by the build: a list of `PageAddress`. */
const ADDRESSES_FILE = 'addresses.json';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

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
  const plain = names.filter((name) => !name.endsWith(COMPRESSED));
  const assets = await Promise.all(
    plain.map(async (name) => {
      const path = join(folder, 'assets', name);
      const [body, brotli] = await Promise.all([readFile(path), readFile(path + COMPRESSED)]);
      return [name, new PageFile(body, typeOf(name), brotli)] as const;
    }),
  );
  const withText = (text: string): PageFile => new PageFile(Buffer.from(text), typeOf('index.html'));
  const written = await readFile(join(folder, 'index.html'), 'utf8');
  const text = watchesCluster ? ofCluster(written) : written;
  const addresses = JSON.parse(
    await readFile(join(folder, ADDRESSES_FILE), 'utf8'),
  ) as readonly PageAddress[];
  const documents = addresses.map(({ path, loads }) => ({
    path,
    document: withText(withLoads(text, loads)),
  }));
  return { document: withText(text), documents, assets: new Map(assets) };
}

function typeOf(name: string): string {
  return TYPES[extname(name)] ?? 'application/octet-stream';
}
