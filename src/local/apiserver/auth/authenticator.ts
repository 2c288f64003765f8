import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TokenVerifier } from './service-account-token.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, type User } from './user.ts';

/** Tells who makes a request by its bearer token: the administrator or a service account. */
export class Authenticator {
  readonly #adminDigest: Buffer;
  readonly #verifier: TokenVerifier;

  constructor(adminToken: string, verifier: TokenVerifier) {
    this.#adminDigest = digest(adminToken);
    this.#verifier = verifier;
  }

  /** The user, or undefined: then the request is refused (anonymous requests are not served). */
  authenticate(headers: IncomingHttpHeaders, nowSeconds: number): User | undefined {
    const token = bearerToken(headers);
    if (token === '') return undefined;
    if (timingSafeEqual(digest(token), this.#adminDigest)) return ADMIN;
    return this.#verifier.verify(token, nowSeconds)?.user;
  }
}

const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };
const WEBSOCKET_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** The token of the Authorization header, or of the WebSocket subprotocol that browsers have to use. */
function bearerToken(headers: IncomingHttpHeaders): string {
  const [scheme = '', token = ''] = (headers.authorization ?? '').split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return token;
  for (const protocol of (headers['sec-websocket-protocol'] ?? '').split(',')) {
    const text = protocol.trim();
    if (text.startsWith(WEBSOCKET_PREFIX)) {
      return Buffer.from(text.slice(WEBSOCKET_PREFIX.length), 'base64url').toString('utf8');
    }
  }
  return '';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
