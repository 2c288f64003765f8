/** Tokens of service accounts: their content, and whether they are still valid. Source: KEP-1205, Bound Service Account Tokens. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/index.ts';
import { serviceAccountGroups, serviceAccountUser, type User } from '../http/user.ts';
import { asJson, asNumber, asString, asStrings, type Json } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import { type SigningKey, signToken, verifyToken } from './jwt.ts';

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Verified signatures kept; a token of a busy pod is verified once. */
const CACHE_LIMIT = 4096;

/** Which object, and which one of those that had its name. */
export interface ObjectName {
  readonly name: string;
  readonly uid: string;
}

/** An object that a token dies with. */
export interface BoundObject extends ObjectName {
  readonly kind: 'Pod' | 'Secret' | 'Node';
}

interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly bound?: BoundObject;
  /** The node of the pod that it is bound to. */
  readonly node?: ObjectName;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

/** Signs a token; times are seconds since the epoch. */
export function issueToken(key: SigningKey, subject: TokenSubject, nowSeconds: number): string {
  const { namespace, name, uid, bound, node } = subject;
  return signToken(key, {
    aud: [...subject.audiences],
    exp: nowSeconds + subject.expirationSeconds,
    iat: nowSeconds,
    iss: ISSUER,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      serviceaccount: { name, uid },
      ...(node && { node }),
      ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
    },
    nbf: nowSeconds,
    sub: serviceAccountUser(namespace, name),
  });
}

/** A valid token: its user, and its audiences. */
export interface VerifiedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Judges tokens. Signatures are cached; existence of account and pod is looked up each time. */
export class TokenVerifier {
  readonly #key: SigningKey;
  readonly #store: Store;
  readonly #claims = new Map<string, Json>();

  constructor(key: SigningKey, store: Store) {
    this.#key = key;
    this.#store = store;
  }

  /** The token's user, or undefined when it does not hold (any more). */
  verify(token: string, nowSeconds: number): VerifiedToken | undefined {
    const claims = this.#read(token);
    if (claims === undefined || claims.iss !== ISSUER) return undefined;
    // One of later than now was signed by this server before its clock was set back.
    if (asNumber(claims.exp) <= nowSeconds) return undefined;
    const own = asJson(claims['kubernetes.io']);
    const namespace = asString(own.namespace);
    const account = asJson(own.serviceaccount);
    const name = asString(account.name);
    if (!this.#exists('serviceaccounts', namespace, account)) return undefined;
    const pod = own.pod === undefined ? undefined : asJson(own.pod);
    if (pod !== undefined && !this.#exists('pods', namespace, pod)) return undefined;
    if (own.secret !== undefined && !this.#exists('secrets', namespace, asJson(own.secret))) return undefined;
    const node = own.node === undefined ? undefined : asJson(own.node);
    // That of a pod is not asked for: the pod is.
    if (node !== undefined && pod === undefined && !this.#exists('nodes', '', node)) return undefined;
    const extra: Record<string, readonly string[]> = {
      'authentication.kubernetes.io/credential-id': [`JTI=${asString(claims.jti)}`],
    };
    if (pod !== undefined) {
      extra['authentication.kubernetes.io/pod-name'] = [asString(pod.name)];
      extra['authentication.kubernetes.io/pod-uid'] = [asString(pod.uid)];
    }
    if (node !== undefined) {
      extra['authentication.kubernetes.io/node-name'] = [asString(node.name)];
      extra['authentication.kubernetes.io/node-uid'] = [asString(node.uid)];
    }
    const user = {
      name: serviceAccountUser(namespace, name),
      uid: asString(account.uid),
      groups: serviceAccountGroups(namespace),
      extra,
    };
    return { user, audiences: asStrings(claims.aud) };
  }

  #exists(table: string, namespace: string, wanted: Json): boolean {
    const version = this.#store.get(table, namespace, asString(wanted.name));
    return version !== undefined && objectOf(version).metadata.uid === wanted.uid;
  }

  #read(token: string): Json | undefined {
    const known = this.#claims.get(token);
    if (known !== undefined) return known;
    const claims = verifyToken(this.#key, token);
    if (claims === undefined) return undefined;
    if (this.#claims.size >= CACHE_LIMIT) {
      const [oldest] = this.#claims.keys();
      if (oldest !== undefined) this.#claims.delete(oldest);
    }
    this.#claims.set(token, claims);
    return claims;
  }
}
