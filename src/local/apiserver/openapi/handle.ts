import { createHash } from 'node:crypto';
import { type ApiReply, type ApiRequest, jsonReply, valueReply } from '../http/exchange.ts';
import { notAcceptable } from '../http/status.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { documentV2, documentV3, groupVersionPaths } from './documents.ts';
import { encodeDocument, OPENAPI_PROTOBUF, OPENAPI_PROTOBUF_ANSWER } from './protobuf.ts';

/** Serves `/openapi/v2` and `/openapi/v3`; documents are made when asked for and kept until the kinds change. */
export class OpenApi {
  readonly #kinds: KindRegistry;
  readonly #documents = new Map<string, { readonly body: Buffer; readonly hash: string }>();
  #generation = -1;

  constructor(kinds: KindRegistry) {
    this.#kinds = kinds;
  }

  /** Answers paths below `/openapi`; undefined for those that do not exist. Throws NotAcceptable. */
  handle(request: ApiRequest, path: string): ApiReply | undefined {
    if (path === '/openapi/v2') return this.#reply(request, wantsProtobuf(request) ? 'v2.pb' : 'v2');
    if (path === '/openapi/v3') return this.#index();
    if (path.startsWith('/openapi/v3/')) return this.#reply(request, path.slice('/openapi/v3/'.length));
    return undefined;
  }

  #index(): ApiReply {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const path of groupVersionPaths(this.#kinds)) {
      // The hash only has to change with the content, as the generation of the kinds does.
      const hash = createHash('sha256')
        .update(`${path}#${this.#kinds.generation}`)
        .digest('hex')
        .toUpperCase();
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    return valueReply(200, { paths });
  }

  #reply(request: ApiRequest, name: string): ApiReply | undefined {
    const isProtobuf = name === 'v2.pb';
    const accept = request.headers.accept ?? '';
    if (!isProtobuf && accept !== '' && !accept.includes('json') && !accept.includes('*/*'))
      throw notAcceptable(['application/json']);
    const document = this.#document(name);
    if (document === undefined) return undefined;
    const etag = `"${document.hash}"`;
    if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: [] };
    const type = isProtobuf ? { 'content-type': OPENAPI_PROTOBUF_ANSWER } : {};
    return jsonReply(200, [document.body], { etag, vary: 'Accept', ...type });
  }

  #document(name: string): { readonly body: Buffer; readonly hash: string } | undefined {
    if (this.#generation !== this.#kinds.generation) {
      this.#documents.clear();
      this.#generation = this.#kinds.generation;
    }
    const known = this.#documents.get(name);
    if (known !== undefined) return known;
    const body = this.#make(name);
    if (body === undefined) return undefined;
    const document = { body, hash: createHash('sha256').update(body).digest('hex').toUpperCase() };
    this.#documents.set(name, document);
    return document;
  }

  #make(name: string): Buffer | undefined {
    if (name === 'v2.pb') return encodeDocument(documentV2(this.#kinds));
    const made = name === 'v2' ? documentV2(this.#kinds) : documentV3(this.#kinds, name);
    return made === undefined ? undefined : Buffer.from(JSON.stringify(made));
  }
}

/** Whether the first form that the client names is the compiled one. */
function wantsProtobuf({ headers }: ApiRequest): boolean {
  const [first = ''] = (headers.accept ?? '').split(',');
  return [OPENAPI_PROTOBUF, OPENAPI_PROTOBUF_ANSWER].includes(first.trim());
}
