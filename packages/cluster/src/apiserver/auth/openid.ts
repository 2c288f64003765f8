/** What others need to verify tokens of service accounts by themselves. Source: kubernetes.io, Service account issuer discovery; RFC 7517. */
import { type ApiReply, type ApiRequest, valueReply } from '../http/exchange.ts';
import { methodNotAllowed } from '../http/status.ts';
import type { SigningKey } from './jwt.ts';
import { ISSUER } from './service-account-token.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';
/** Verifiers may keep what they read for an hour. */
const CACHED = { 'cache-control': 'public, max-age=3600' };

/**
 * The document of the issuer or that of its keys; undefined for every other path.
 *
 * @param server address of the API server
 */
export function openIdDocument(
  { method }: Pick<ApiRequest, 'method'>,
  path: string,
  { publicKey, id }: SigningKey,
  server: string,
): ApiReply | undefined {
  if (path !== CONFIGURATION && path !== KEYS) return undefined;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  if (path === KEYS) {
    const key = { use: 'sig', kid: id, alg: 'ES256', ...publicKey.export({ format: 'jwk' }) };
    return valueReply(200, { keys: [key] }, { ...CACHED, 'content-type': 'application/jwk-set+json' });
  }
  const document = {
    issuer: ISSUER,
    jwks_uri: `${server}${KEYS}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
  return valueReply(200, document, CACHED);
}
