/** serviceaccounts/token: issues a token (TokenRequest). */

import type { Store } from '../../store/index.ts';
import type { SigningKey } from '../auth/jwt.ts';
import { type BoundObject, ISSUER, issueToken, type ObjectName } from '../auth/service-account-token.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, valueReply } from '../http/exchange.ts';
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../http/status.ts';
import { asJson, asNumber, asString, asStrings, isJson, type Json, timestamp } from '../object.ts';
import { readVersion } from '../registry/read.ts';
import type { ResourceRequest } from '../request/request.ts';
import { writeContext } from '../request/request.ts';
import { objectOf } from '../stored-object.ts';
import { invalidField } from '../validation/field.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** Tables of what a token may die with. */
const BOUND_TABLES = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

export async function handleToken(request: ResourceRequest, key: SigningKey): Promise<ApiReply> {
  const { env, kind, info, http } = request;
  if (info.verb !== 'create') throw methodNotAllowed();
  writeContext(request);
  const body = await decodeTypedBody(
    http.body,
    http.headers['content-type'],
    'authentication.v1.TokenRequest',
  );
  if (!isJson(body)) throw badRequest('a TokenRequest is expected');
  const account = objectOf(readVersion(env, kind.definition, info.namespace, info.name));
  const spec = asJson(body.spec);
  const seconds = asNumber(spec.expirationSeconds, DEFAULT_SECONDS);
  checkSeconds(seconds);
  const bound = isJson(spec.boundObjectRef) ? findBound(request, spec.boundObjectRef) : undefined;
  const asked = asStrings(spec.audiences);
  const audiences = asked.length === 0 ? [ISSUER] : asked;
  const nowSeconds = Math.floor(env.clock.now() / 1000);
  const subject = {
    namespace: info.namespace,
    name: info.name,
    uid: account.metadata.uid ?? '',
    audiences,
    expirationSeconds: seconds,
  };
  const node = bound?.kind === 'Pod' ? nodeOf(env.store, info.namespace, bound.name) : undefined;
  const token = issueToken(key, { ...subject, ...(bound && { bound }), ...(node && { node }) }, nowSeconds);
  return valueReply(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: info.name, namespace: info.namespace, creationTimestamp: timestamp(env.clock.now()) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp((nowSeconds + seconds) * 1000) },
  });
}

function checkSeconds(seconds: number): void {
  const words =
    seconds < MIN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (words === undefined) return;
  throw invalid('authentication.k8s.io', 'TokenRequest', '', [
    invalidField('spec.expirationSeconds', seconds, words),
  ]);
}

function findBound({ env, info }: ResourceRequest, ref: Json): BoundObject {
  const kind = asString(ref.kind);
  const name = asString(ref.name);
  const uid = asString(ref.uid);
  if (!isBoundKind(kind))
    throw badRequest(
      `cannot bind token for serviceaccount to object of type ${asString(ref.apiVersion)}, Kind=${kind}`,
    );
  const table = BOUND_TABLES[kind];
  const version = env.store.get(table, kind === 'Node' ? '' : info.namespace, name);
  if (version === undefined) throw notFound({ group: '', plural: table }, name);
  const found = objectOf(version);
  if (uid !== '' && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: table }, name, why);
  }
  if (kind === 'Pod' && asJson(found.spec).serviceAccountName !== info.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to pod running with different serviceaccount ${JSON.stringify(asString(asJson(found.spec).serviceAccountName))}`,
    );
  }
  return { kind, name, uid: found.metadata.uid ?? '' };
}

/** The node of a pod, which its tokens name as well. */
function nodeOf(store: Store, namespace: string, pod: string): ObjectName | undefined {
  const version = store.get('pods', namespace, pod);
  const name = version && asString(asJson(objectOf(version).spec).nodeName);
  const node = name ? store.get('nodes', '', name) : undefined;
  return node && { name: node.name, uid: objectOf(node).metadata.uid ?? '' };
}

function isBoundKind(kind: string): kind is keyof typeof BOUND_TABLES {
  return Object.hasOwn(BOUND_TABLES, kind);
}
