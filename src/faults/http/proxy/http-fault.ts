import { STATUS_CODES } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Framing } from './framing.ts';
import { type Head, statusOf, withHeaders, withoutHeaders } from './head.ts';

/** A body that stands in for that of the server; JSON. */
interface BodySpec {
  /** Absent: the built-in page for the status. */
  readonly text?: string;
  readonly contentType: string;
  readonly contentEncoding: '' | 'gzip' | 'deflate' | 'br';
}

/** The fault of a connection's exchanges; JSON. */
export type HttpFault =
  | { readonly kind: 'none' }
  | { readonly kind: 'latency'; readonly latencyMs: number }
  | { readonly kind: 'reset'; readonly timeoutMs: number }
  | {
      readonly kind: 'header';
      readonly direction: 'request' | 'response';
      readonly headers: Readonly<Record<string, string>>;
    }
  /** @param body null: that of the server stays, as far as the status allows one */
  | { readonly kind: 'status'; readonly status: number; readonly body: BodySpec | null }
  | { readonly kind: 'body'; readonly body: BodySpec };

/** A response as the client gets it. */
interface AlteredResponse {
  readonly head: Head;
  /** Replaces the server's body; undefined: the server's body passes. */
  readonly body: Buffer | undefined;
}

/** Headers of a body that is no longer there. */
const BODY_HEADERS = [
  ...['content-length', 'transfer-encoding', 'trailer', 'content-encoding', 'content-type', 'content-range'],
  ...['content-md5', 'digest', 'content-digest', 'repr-digest'],
];

/** Encodes bodies once per status. */
export type BodyEncoder = (
  spec: BodySpec,
  status: number,
) => { readonly bytes: Buffer; readonly type: string };

/** An encoder that remembers what it has encoded. */
export function bodyEncoder(): BodyEncoder {
  const known = new Map<string, { bytes: Buffer; type: string }>();
  return (spec, status) => {
    const key = `${status} ${spec.text === undefined}`;
    const found = known.get(key) ?? encode(spec, status);
    known.set(key, found);
    return found;
  };
}

/** The altered response; undefined: it stays as it is. Pure, but for the encoder's memory. */
export function alterResponse(
  fault: HttpFault,
  head: Head,
  request: { readonly method: string; readonly framing: Framing },
  encoder: BodyEncoder,
): AlteredResponse | undefined {
  switch (fault.kind) {
    case 'header':
      return fault.direction === 'response'
        ? { head: withHeaders(head, fault.headers), body: undefined }
        : undefined;
    case 'body':
      return allowsBody(statusOf(head)) ? replaceBody(head, request.method, fault.body, encoder) : undefined;
    case 'status':
      return alterStatus(fault, head, request, encoder);
    default:
      return undefined;
  }
}

function alterStatus(
  { status, body }: Extract<HttpFault, { kind: 'status' }>,
  head: Head,
  { method, framing }: { readonly method: string; readonly framing: Framing },
  encoder: BodyEncoder,
): AlteredResponse {
  const version = head.startLine.slice(0, 8);
  const altered: Head = {
    ...head,
    startLine: `${version} ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(),
  };
  if (!allowsBody(status)) {
    return { head: withoutHeaders(altered, BODY_HEADERS), body: Buffer.alloc(0) };
  }
  if (body !== null) return replaceBody(altered, method, body, encoder);
  // The client expects a body now where the server sent none: one of no length.
  if (method !== 'HEAD' && framing.kind === 'none') {
    return {
      head: withHeaders(withoutHeaders(altered, ['transfer-encoding']), { 'Content-Length': '0' }),
      body: undefined,
    };
  }
  return { head: altered, body: undefined };
}

function replaceBody(head: Head, method: string, spec: BodySpec, encoder: BodyEncoder): AlteredResponse {
  const { bytes, type } = encoder(spec, statusOf(head));
  const headers = {
    'Content-Type': type,
    'Content-Length': String(bytes.length),
    ...(spec.contentEncoding === '' ? {} : { 'Content-Encoding': spec.contentEncoding }),
  };
  return {
    head: withHeaders(withoutHeaders(head, BODY_HEADERS), headers),
    body: method === 'HEAD' ? Buffer.alloc(0) : bytes,
  };
}

function allowsBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

function encode(spec: BodySpec, status: number): { bytes: Buffer; type: string } {
  const { text, contentType, contentEncoding } = spec;
  const plain = Buffer.from(text ?? page(status));
  // The page is HTML whatever type the user's own body would have.
  return { bytes: compress(plain, contentEncoding), type: text === undefined ? 'text/html' : contentType };
}

function compress(plain: Buffer, encoding: BodySpec['contentEncoding']): Buffer {
  switch (encoding) {
    case 'gzip':
      return gzipSync(plain);
    case 'deflate':
      return deflateSync(plain);
    case 'br':
      return brotliCompressSync(plain);
    case '':
      return plain;
  }
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  return `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}
