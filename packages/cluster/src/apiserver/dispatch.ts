/** From a request to its handler: path, user, permission, kind, verb. */
import { URLSearchParams } from 'node:url';
import type { Pod } from '@turnsole/kube/kinds/core';
import { FutureRevisionError } from '../store/index.ts';
import type { SigningKey } from './auth/jwt.ts';
import { REVIEWS, type Review, type ReviewServices } from './auth/reviews.ts';
import { loadCel } from './cel/lazy.ts';
import { handleApply } from './handlers/apply.ts';
import { handleComponentStatuses } from './handlers/component-statuses.ts';
import { handleCreate } from './handlers/create.ts';
import { handleDelete } from './handlers/delete.ts';
import { handleDeleteCollection } from './handlers/delete-collection.ts';
import { handleList, parseRevision, revisionError } from './handlers/list.ts';
import { handlePatch } from './handlers/patch.ts';
import { Renderer } from './handlers/render.ts';
import { handleUpdate } from './handlers/update.ts';
import { handleWatch, type WatchRegistry } from './handlers/watch.ts';
import { mediaType } from './http/decode.ts';
import { type ApiReply, jsonReply, valueReply } from './http/exchange.ts';
import { badRequest, methodNotAllowed, noSuchPath, notFound } from './http/status.ts';
import { componentStatuses } from './kinds/component-statuses.ts';
import { ALL_VERBS } from './kinds/kind.ts';
import { handleMetrics } from './metrics/handle.ts';
import { METRICS_GROUP } from './metrics/kinds.ts';
import type { UsageSource } from './metrics/usage.ts';
import { timestamp } from './object.ts';
import { readVersion } from './registry/read.ts';
import { readObject } from './request/admit-body.ts';
import type { ResourceRequest } from './request/request.ts';
import { handleBinding } from './subresources/binding.ts';
import { handleEviction } from './subresources/eviction.ts';
import { handleFinalize } from './subresources/finalize.ts';
import { handleLog, type PodLogSource } from './subresources/log.ts';
import type { NodeReach } from './subresources/node-reach.ts';
import { PROXIED } from './subresources/proxy/target.ts';
import { handleScale } from './subresources/scale.ts';
import { handleToken } from './subresources/token.ts';
import { chooseTarget } from './subresources/upgrade.ts';

/** Media type of a configuration that is applied. */
export const APPLY_TYPE = 'application/apply-patch+yaml';

/** What handlers need of the server besides their environment. */
export interface Services {
  readonly watches: WatchRegistry;
  readonly reviews: ReviewServices;
  readonly signingKey: SigningKey;
  readonly logSource: PodLogSource | undefined;
  readonly nodeReach: NodeReach | undefined;
  /** Names of the parts of the control plane. */
  readonly components: readonly string[];
  readonly usage: UsageSource | undefined;
}

/** Answers a request for a resource. */
export async function dispatchResource(request: ResourceRequest, services: Services): Promise<ApiReply> {
  const { info, kind } = request;
  const { definition, version } = kind;
  warnOfDeprecation(request);
  const review = REVIEWS[`${definition.group}/${definition.plural}`];
  if (review !== undefined) return handleReview(request, review, services.reviews);
  if (definition.table === 'pods/binding') return handleBindings(request);
  if (definition === componentStatuses) return handleComponentStatuses(request, services.components);
  if (info.subresource === 'proxy' && definition.group === '' && PROXIED.has(definition.plural)) {
    const { handleProxy } = await import('./subresources/proxy/handle.ts');
    return handleProxy(request, services.nodeReach);
  }
  if (info.rest.length > 0) throw noSuchPath();
  if (definition.group === METRICS_GROUP && services.usage !== undefined) {
    if (info.subresource !== '') throw noSuchPath();
    return handleMetrics(request, services.usage, services.nodeReach);
  }
  switch (info.subresource) {
    case '':
      return dispatchVerb(request, services.watches);
    case 'status':
      if (!(version.hasStatus ?? definition.hasStatus)) {
        throw version.type === undefined ? notFound(definition, info.name) : noSuchPath();
      }
      return dispatchVerb(request, services.watches);
    case 'scale':
      return handleScale(request);
  }
  if (definition.parts?.[info.subresource] !== undefined) return dispatchVerb(request, services.watches);
  switch (`${definition.table}/${info.subresource}`) {
    case 'pods/log':
      return handleLog(request, services.logSource, services.nodeReach);
    case 'pods/binding':
      return handleBinding(request);
    case 'pods/eviction':
      return handleEviction(request);
    case 'pods/exec':
    case 'pods/attach':
    case 'pods/portforward':
      return refusePlain(request);
    case 'serviceaccounts/token':
      return handleToken(request, services.signingKey);
    case 'namespaces/finalize':
      return handleFinalize(request);
    default:
      throw version.type === undefined ? notFound(definition, info.name) : noSuchPath();
  }
}

/** Whoever asks for a version that is on its way out is told so, with every answer. */
function warnOfDeprecation({ kind, warnings }: ResourceRequest): void {
  const { deprecation } = kind.version;
  if (deprecation === undefined) return;
  warnings.push(deprecation || `${kind.apiVersion} ${kind.definition.kind} is deprecated`);
}

/** A request to connect to a pod that does not ask for another protocol. */
function refusePlain({ env, kind, info, query }: ResourceRequest): never {
  // Decoded with the type of a Pod when it was written.
  const pod = readVersion(env, kind.definition, info.namespace, info.name).object as unknown as Pod;
  chooseTarget(pod, info.subresource, query);
  throw badRequest('Upgrade request required');
}

async function handleReview(
  request: ResourceRequest,
  review: Review,
  services: ReviewServices,
): Promise<ApiReply> {
  if (request.info.verb !== 'create') throw methodNotAllowed();
  const object = await readObject(request);
  const answered = review(object, request.user, request.info.namespace, services);
  // Who somebody is has a time; the other answers have none.
  const times =
    request.kind.definition.plural === 'selfsubjectreviews'
      ? { creationTimestamp: timestamp(request.env.clock.now()) }
      : {};
  return valueReply(201, { ...answered, metadata: { ...times, ...answered.metadata } });
}

/** `POST bindings` names the pod in its body. */
async function handleBindings(request: ResourceRequest): Promise<ApiReply> {
  const { info, env } = request;
  const pods = env.kinds.find('', 'v1', 'pods');
  if (info.verb !== 'create' || pods === undefined) throw methodNotAllowed();
  const { metadata } = await readObject(request);
  return handleBinding({ ...request, kind: pods, info: { ...info, name: metadata.name ?? '' } });
}

async function dispatchVerb(request: ResourceRequest, watches: WatchRegistry): Promise<ApiReply> {
  const { info, kind } = request;
  const { subresource } = info;
  await loadForExpressions(request);
  if (!(kind.definition.verbs ?? ALL_VERBS).includes(info.verb)) throw methodNotAllowed();
  switch (info.verb) {
    case 'get':
      return handleGet(request);
    case 'list':
      return handleList(request);
    case 'watch':
      return handleWatch(named(request), watches);
    case 'create':
      if (info.name !== '' || isAcrossNamespaces(request)) throw methodNotAllowed();
      return handleCreate(request);
    case 'update':
      if (info.name === '') throw methodNotAllowed();
      return handleUpdate(request);
    case 'patch':
      if (info.name === '') throw methodNotAllowed();
      return isApply(request) ? handleApply(request) : handlePatch(request);
    case 'delete':
      if (subresource !== '') throw methodNotAllowed();
      return handleDelete(request);
    case 'deletecollection':
      if (isAcrossNamespaces(request)) throw methodNotAllowed();
      return handleDeleteCollection(request);
    default:
      throw methodNotAllowed();
  }
}

const OF_POLICIES = /matchConditions|xpression/;

/** Kinds whose objects may hold expressions, with what a body that has one has in it. Descriptions in schemas speak of expressions as well. */
const EXPRESSIVE: ReadonlyMap<string, RegExp> = new Map([
  ['customresourcedefinitions.apiextensions.k8s.io', /x-kubernetes-validations/],
  ['mutatingadmissionpolicies.admissionregistration.k8s.io', OF_POLICIES],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', OF_POLICIES],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', OF_POLICIES],
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', OF_POLICIES],
]);

/** From here on a write is not interrupted, so what evaluates expressions has to be there before. */
async function loadForExpressions({ info, kind, http }: ResourceRequest): Promise<void> {
  if (info.verb !== 'create' && info.verb !== 'update' && info.verb !== 'patch') return;
  const expressions = EXPRESSIVE.get(kind.definition.table);
  const isNeeded =
    kind.version.hasRules === true ||
    (expressions !== undefined && (info.verb !== 'create' || expressions.test(http.body.toString('latin1'))));
  if (isNeeded) await loadCel();
}

function isApply({ http }: ResourceRequest): boolean {
  return mediaType(http.headers['content-type']) === APPLY_TYPE;
}

/** Whether the path names a namespaced kind without a namespace: good for reading only. */
function isAcrossNamespaces({ kind, info }: ResourceRequest): boolean {
  return kind.definition.namespaced && info.namespace === '';
}

function handleGet(request: ResourceRequest): ApiReply {
  const { env, kind, info, http, query } = request;
  const namespace = kind.definition.namespaced ? info.namespace : '';
  const asked = parseRevision(query.get('resourceVersion') ?? '');
  if (asked > env.store.revision) throw revisionError(new FutureRevisionError(asked, env.store.revision));
  const version = readVersion(env, kind.definition, namespace, info.name);
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  return jsonReply(200, [renderer.version(version)]);
}

/** A watch of one object by its path is a watch of the collection that selects its name. */
function named(request: ResourceRequest): ResourceRequest {
  const { info, query } = request;
  if (info.name === '') return request;
  const copy = new URLSearchParams(query);
  copy.set('fieldSelector', `metadata.name=${info.name}`);
  return { ...request, query: copy };
}
