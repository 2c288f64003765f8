/** CREATE, UPDATE, DELETE and DELETECOLLECTION of any kind. */

import type { Version } from '../../store/index.ts';
import { withWebhooks } from '../admission/webhooks/conversation.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, jsonReply, valueReply } from '../http/exchange.ts';
import { badRequest, StatusError } from '../http/status.ts';
import { TurnBudget } from '../http/turn-budget.ts';
import { type ApiObject, asJson, type Json } from '../object.ts';
import { createObject, type Written } from '../registry/create.ts';
import { checkDeleteOptions, type DeleteOptions, deleteObject } from '../registry/delete.ts';
import { serve } from '../registry/encode.ts';
import { updateObject } from '../registry/update.ts';
import { isSelected, parseSelection } from '../selectors/selection.ts';
import { toKind } from './admit-body.ts';
import { listReply } from './list-reply.ts';
import { Renderer } from './render.ts';
import {
  fieldValidation,
  queryBoolean,
  queryInteger,
  type ResourceRequest,
  writeContext,
} from './request.ts';

/** Renders the outcome of a write in the view asked for. */
export function writtenReply(request: ResourceRequest, written: Written): ApiReply {
  const { env, kind, http, query } = request;
  const status = written.created ? 201 : 200;
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  const version = env.store.get(
    kind.definition.table,
    written.object.metadata.namespace ?? '',
    written.object.metadata.name ?? '',
  );
  // A write that is still the present version shares its bytes with every later reader.
  if (version !== undefined && version.object === written.object) {
    return jsonReply(status, [renderer.version(version)]);
  }
  return jsonReply(status, [renderer.object(serve(kind, written.object))]);
}

export async function readObject(request: ResourceRequest): Promise<ApiObject> {
  const { http, kind } = request;
  if (http.body.length === 0) throw badRequest('the request has no body; an object is expected');
  const value = await decodeTypedBody(http.body, http.headers['content-type'], kind.version.type);
  return toKind(kind, value, fieldValidation(request), request.warnings);
}

export async function handleCreate(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const context = writeContext(request);
  const object = await readObject(request);
  const { metadata } = object;
  // The real server finds this out in its storage, and answers 500 without a reason.
  if ((metadata.resourceVersion ?? '') !== '')
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  if (kind.definition.kind === 'Namespace' && kind.definition.group === '') delete metadata.namespace;
  const namespace = kind.definition.namespaced ? info.namespace : '';
  const written = createObject(env, kind, namespace, object, context);
  return writtenReply(request, written);
}

export async function handleUpdate(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const context = writeContext(request);
  const object = await readObject(request);
  const namespace = definition.namespaced ? info.namespace : '';
  const written = updateObject(env, {
    kind,
    namespace,
    name: info.name,
    subresource: info.subresource,
    produce: () => object,
    produceMissing: () => (definition.createsOnUpdate && info.subresource === '' ? object : undefined),
    context,
  });
  return writtenReply(request, written);
}

/** Options out of body and query; the body wins, as on the real server. */
export async function readDeleteOptions(
  request: ResourceRequest,
): Promise<{ readonly options: DeleteOptions; readonly dryRuns: readonly string[] }> {
  const { http, query } = request;
  const body: Json =
    http.body.length === 0
      ? {}
      : asJson(await decodeTypedBody(http.body, http.headers['content-type'], 'meta.v1.DeleteOptions'));
  checkDeleteBody(body);
  const merged: Json = {
    gracePeriodSeconds: queryInteger(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: query.has('orphanDependents') ? queryBoolean(query, 'orphanDependents') : undefined,
    ...body,
  };
  const options = deleteOptionsOf(merged);
  checkDeleteOptions(options);
  const dryRuns = Array.isArray(body.dryRun) ? body.dryRun.map(String) : [];
  return { options, dryRuns };
}

/** A body that is no DeleteOptions must not delete: somebody meant something else. */
function checkDeleteBody({ kind }: Json): void {
  if (kind === undefined || kind === '' || kind === 'DeleteOptions') return;
  throw new StatusError(500, '', `no kind ${JSON.stringify(kind)} is registered as options of a deletion`);
}

/** Options out of a DeleteOptions object; what has the wrong type counts as absent. */
export function deleteOptionsOf(body: Json): DeleteOptions {
  const { gracePeriodSeconds: grace, propagationPolicy: policy, orphanDependents: orphan } = body;
  const preconditions = asJson(body.preconditions);
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(typeof policy === 'string' && policy !== '' ? { propagationPolicy: policy } : {}),
    ...(typeof orphan === 'boolean' ? { orphanDependents: orphan } : {}),
    preconditions: {
      ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
      ...(typeof preconditions.resourceVersion === 'string'
        ? { resourceVersion: preconditions.resourceVersion }
        : {}),
    },
  };
}

export async function handleDelete(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const { options, dryRuns } = await readDeleteOptions(request);
  const context = writeContext(request, dryRuns);
  const namespace = definition.namespaced ? info.namespace : '';
  const deleted = deleteObject(env, definition, namespace, info.name, options, context);
  if (!deleted.gone || definition.returnsDeleted) {
    return writtenReply(request, { object: deleted.object, created: false });
  }
  return valueReply(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: info.name,
      ...(definition.group === '' ? {} : { group: definition.group }),
      kind: definition.plural,
      uid: deleted.object.metadata.uid,
    },
  });
}

export async function handleDeleteCollection(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info, query, http } = request;
  const { definition } = kind;
  const { options, dryRuns } = await readDeleteOptions(request);
  const context = writeContext(request, dryRuns);
  const selection = parseSelection(definition, query);
  const { versions } = env.store.list(definition.table, definition.namespaced ? info.namespace : undefined);
  const items: Version[] = [];
  const turn = new TurnBudget();
  for (const version of versions) {
    if (turn.isSpent) await turn.next();
    if (!isSelected(definition, selection, version)) continue;
    // While others had their turn it may have gone, and another one of that name may have come.
    const present = env.store.get(definition.table, version.namespace, version.name);
    if (present?.object.metadata.uid !== version.object.metadata.uid) continue;
    await withWebhooks(request, (asked) =>
      deleteObject(asked.env, definition, version.namespace, version.name, options, context),
    );
    // The answer shows what was there before.
    items.push(version);
  }
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  return listReply(renderer, items, { resourceVersion: String(env.store.revision) }, env.clock);
}
