import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from './page-addresses.ts';
import { ENCODINGS, type PageFile, type PageFiles, readPageFiles } from './page-files.ts';

/** Where the page is served; everything else belongs to the API. */
const PAGE_PATH = '/ui/';

/** Loads nothing from other hosts, allows no inline scripts or styles, and turns no text into code or markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = { 'x-content-type-options': 'nosniff', vary: 'accept-encoding' };

/** A document says what its page may do. Scripts and style sheets are under the policy of the document that loads them. */
const DOCUMENT_HEADERS = {
  ...HEADERS,
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
};

/** Names of assets change with their content, so copies never expire. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Serves the page built in `folder`: the document for every address, since the page routes by itself, and its
 * assets. Reads the folder after the server listens, so that it delays neither the first request nor the startup.
 */
export function addPageRoutes(app: FastifyInstance, folder: string, watchesCluster = false): void {
  let files: Promise<PageFiles | undefined> | undefined;
  const pageFiles = (): Promise<PageFiles | undefined> => {
    files ??= readPageFiles(folder, watchesCluster);
    return files;
  };
  app.addHook('onListen', async () => {
    // Requests for the page report a folder that cannot be read.
    void pageFiles().catch(() => undefined);
  });
  app.get('/', async (_request, reply) => reply.redirect(PAGE_PATH));
  app.get<{ Params: { name: string } }>(`${PAGE_PATH}assets/:name`, async (request, reply) => {
    const file = (await pageFiles())?.assets.get(request.params.name);
    return file === undefined
      ? missing(reply)
      : send(request, reply, file, { ...HEADERS, 'cache-control': FOR_EVER });
  });
  app.get(`${PAGE_PATH}*`, async (request, reply) => {
    const files = await pageFiles();
    if (files === undefined) return missing(reply);
    const [path = ''] = request.url.slice(PAGE_PATH.length - 1).split('?', 1);
    const { document } = addressOf(files.documents, path) ?? files;
    return send(request, reply, document, { ...DOCUMENT_HEADERS, 'cache-control': 'no-cache' });
  });
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  reply.headers(headers).type(file.type);
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = ENCODINGS.find((name) => new RegExp(`\\b${name}\\b`).test(accepted));
  if (encoding === undefined) return reply.send(file.body);
  return reply.header('content-encoding', encoding).send(await file.compressed(encoding));
}

function missing(reply: FastifyReply): FastifyReply {
  const text = 'the page has no such file; in a checkout it is built by `npm run build`\n';
  return reply.code(404).headers(DOCUMENT_HEADERS).type('text/plain; charset=utf-8').send(text);
}
