import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Clock } from '@turnsole/kube/base/clock';
import { type ApiReply, type ApiRequest, JSON_TYPE, jsonReply } from '../http/exchange.ts';
import { includesType, mediaRanges } from '../http/media-ranges.ts';
import { notAcceptable } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { documentPaths, documentV2, documentV3, partsOf } from './documents.ts';
import { encodeDocument, OPENAPI_PROTOBUF, OPENAPI_PROTOBUF_ANSWER } from './protobuf.ts';

const V2 = '/openapi/v2';
/** No path of a request has a blank. */
const COMPILED_V2 = `${V2} protobuf`;
const V3 = '/openapi/v3/';
const YEAR_MS = 365 * 24 * 3_600_000;

interface Document {
  readonly body: Buffer;
  readonly hash: string;
  /** The kinds that it is made of. */
  readonly parts: readonly KindDefinition[];
}

/** Serves `/openapi/v2` and `/openapi/v3`; documents are made when asked for and kept until the kinds change. */
export class OpenApi {
  readonly #kinds: KindRegistry;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #documents = new Map<string, Document>();
  #generation = -1;

  constructor(kinds: KindRegistry, clock: Pick<Clock, 'now'>) {
    this.#kinds = kinds;
    this.#clock = clock;
  }

  /** Answers paths below `/openapi`; undefined for those that do not exist. Throws NotAcceptable. */
  handle(request: ApiRequest, path: string, query: URLSearchParams): ApiReply | undefined {
    if (path === V2) return this.#reply(request, wantsProtobuf(request) ? COMPILED_V2 : V2);
    if (path === '/openapi/v3') return this.#index(request);
    if (!path.startsWith(V3)) return undefined;
    return this.#reply(request, path, query.get('hash') ?? '');
  }

  /** The address of a document changes with its content, so that clients may keep what they have read from one for good. */
  #index(request: ApiRequest): ApiReply {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const path of documentPaths(this.#kinds)) {
      const { hash = '' } = this.#document(`${V3}${path}`) ?? {};
      paths[path] = { serverRelativeURL: addressOf(`${V3}${path}`, hash) };
    }
    const body = Buffer.from(JSON.stringify({ paths }));
    return unlessKnown(request, { body, hash: hashOf(body), parts: [] }, { vary: 'Accept' });
  }

  #reply(request: ApiRequest, name: string, askedHash = ''): ApiReply | undefined {
    const isProtobuf = name === COMPILED_V2;
    if (!isProtobuf && !takesJson(request)) throw notAcceptable([JSON_TYPE]);
    const document = this.#document(name);
    if (document === undefined) return undefined;
    if (askedHash !== '' && askedHash !== document.hash) {
      return { status: 301, headers: { location: addressOf(name, document.hash), vary: 'Accept' }, body: [] };
    }
    const type = isProtobuf ? { 'content-type': OPENAPI_PROTOBUF_ANSWER } : {};
    return unlessKnown(request, document, {
      vary: 'Accept',
      ...type,
      ...(askedHash === '' ? {} : this.#forGood()),
    });
  }

  #forGood(): OutgoingHttpHeaders {
    const expires = new Date(this.#clock.now() + YEAR_MS).toUTCString();
    return { 'cache-control': 'public, immutable', expires };
  }

  #document(name: string): Document | undefined {
    this.#forgetWhatChanged();
    const known = this.#documents.get(name);
    if (known !== undefined) return known;
    const body = this.#make(name);
    if (body === undefined) return undefined;
    const document = { body, hash: hashOf(body), parts: this.#partsOf(name) };
    this.#documents.set(name, document);
    return document;
  }

  /** Each new definition of a kind leaves the documents of the other groups as they were. */
  #forgetWhatChanged(): void {
    if (this.#generation === this.#kinds.generation) return;
    this.#generation = this.#kinds.generation;
    for (const [name, { parts }] of this.#documents) {
      const now = this.#partsOf(name);
      const isSame = now.length === parts.length && now.every((part, at) => part === parts[at]);
      if (!isSame) this.#documents.delete(name);
    }
  }

  #partsOf(name: string): readonly KindDefinition[] {
    return name.startsWith(V3) ? partsOf(this.#kinds, name.slice(V3.length)) : this.#kinds.definitions();
  }

  #make(name: string): Buffer | undefined {
    if (name === COMPILED_V2) return encodeDocument(documentV2(this.#kinds));
    const made = name === V2 ? documentV2(this.#kinds) : documentV3(this.#kinds, name.slice(V3.length));
    return made === undefined ? undefined : Buffer.from(JSON.stringify(made));
  }
}

function hashOf(body: Buffer): string {
  return createHash('sha512').update(body).digest('hex').toUpperCase();
}

function addressOf(path: string, hash: string): string {
  return `${path}?hash=${hash}`;
}

/** The document, or 304 where the client says that it has it. */
function unlessKnown(
  { headers: { 'if-none-match': known } }: ApiRequest,
  { body, hash }: Document,
  headers: OutgoingHttpHeaders,
): ApiReply {
  const etag = `"${hash}"`;
  if (known === etag) return { status: 304, headers: { ...headers, etag }, body: [] };
  return jsonReply(200, [body], { ...headers, etag });
}

function takesJson({ headers: { accept = '' } }: ApiRequest): boolean {
  return accept === '' || mediaRanges(accept).some((range) => includesType(range, JSON_TYPE));
}

/** Whether the form that the client likes best is the compiled one. */
function wantsProtobuf({ headers: { accept = '' } }: ApiRequest): boolean {
  const [best] = mediaRanges(accept);
  if (best === undefined) return false;
  return [OPENAPI_PROTOBUF, OPENAPI_PROTOBUF_ANSWER].includes(`${best.type}/${best.subtype}`);
}
