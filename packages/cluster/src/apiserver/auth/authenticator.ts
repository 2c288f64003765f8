import { timingSafeEqual, X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, type User } from '../http/user.ts';
import { certificateUser } from './client-certificate.ts';
import { ISSUER, type TokenVerifier } from './service-account-token.ts';

/** Finds out who makes a request: by the client's certificate, or by its bearer token, the administrator or a service account. */
export class Authenticator {
  readonly #adminToken: Buffer;
  readonly #verifier: TokenVerifier;
  #authority: X509Certificate | undefined;

  constructor(adminToken: string, verifier: TokenVerifier) {
    this.#adminToken = Buffer.from(adminToken);
    this.#verifier = verifier;
  }

  /** From now on, certificates of this authority (PEM) sign clients in. */
  trust(authority: string): void {
    this.#authority = new X509Certificate(authority);
  }

  /** The user, or undefined: then the request is refused (anonymous requests are not served). */
  authenticate(
    headers: IncomingHttpHeaders,
    certificate: X509Certificate | undefined,
    nowSeconds: number,
  ): User | undefined {
    if (certificate !== undefined && this.#authority !== undefined) {
      const user = certificateUser(certificate, this.#authority, nowSeconds * 1000);
      if (user !== undefined) return user;
    }
    const token = bearerToken(headers);
    if (token === '') return undefined;
    if (this.#isAdmin(Buffer.from(token))) return ADMIN;
    const verified = this.#verifier.verify(token, nowSeconds);
    // One that was made for somebody else proves nothing here: its reader must not act as the account.
    return verified?.audiences.includes(ISSUER) === true ? verified.user : undefined;
  }

  /** Takes the same time for every token of the right length; the length is no secret. */
  #isAdmin(token: Buffer): boolean {
    return token.length === this.#adminToken.length && timingSafeEqual(token, this.#adminToken);
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
