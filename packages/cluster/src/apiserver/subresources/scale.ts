/** The scale subresource: an autoscaling/v1 Scale over any kind that has a number of replicas. */

import type { LabelSelector } from '@turnsole/kube/kinds/core';
import { compileLabelSelector, formatLabelSelector } from '@turnsole/kube/text/label-selector';
import { carryOut } from '../admission/webhooks/carry-out.ts';
import { patchValue } from '../handlers/patch.ts';
import { Renderer } from '../handlers/render.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, jsonReply } from '../http/exchange.ts';
import {
  badRequest,
  conflict,
  invalid,
  MODIFIED,
  methodNotAllowed,
  noSuchPath,
  notFound,
  type StatusError,
} from '../http/status.ts';
import { defineKind } from '../kinds/define.ts';
import type { ScaleRule } from '../kinds/kind.ts';
import { type ApiObject, asJson, asNumber, asString, childOf, clone, isJson, valueAt } from '../object.ts';
import type { Written } from '../registry/create.ts';
import type { WriteContext } from '../registry/environment.ts';
import type { PendingWrite } from '../registry/pending-write.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updating } from '../registry/update.ts';
import { toKind } from '../request/admit-body.ts';
import {
  fieldValidation,
  namespaceOf,
  type ResourceRequest,
  targetOf,
  writeContext,
} from '../request/request.ts';
import { objectOf } from '../stored-object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, invalidField } from '../validation/field.ts';

/** How a change of scale looks to admission webhooks. */
const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

const SCALE: ServedKind = ((): ServedKind => {
  const definition = defineKind({
    group: 'autoscaling',
    plural: 'scales',
    kind: 'Scale',
    versions: ['v1'],
    columns: [
      NAME_COLUMN,
      column('Desired', (scale) => asNumber(asJson(scale.spec).replicas), { type: 'integer' }),
      column('Available', (scale) => asNumber(asJson(scale.status).replicas), { type: 'integer' }),
      AGE_COLUMN,
    ],
  });
  const [version = { name: 'v1' }] = definition.versions;
  return { definition, version, apiVersion: 'autoscaling/v1' };
})();

export async function handleScale(request: ResourceRequest): Promise<ApiReply> {
  const { kind, info } = request;
  const rule = kind.definition.scale;
  if (rule === undefined)
    throw kind.version.type === undefined ? notFound(kind.definition, info.name) : noSuchPath();
  const present = readScaled(request);
  if (info.verb === 'get') return scaleReply(request, scaleOf(rule, present));
  if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed();
  const context = writeContext(request);
  const action = { kind: SCALE_KIND, of: (object: ApiObject) => scaleOf(rule, object) };
  const written = await carryOut(request, () => scaling(request, rule, context), action);
  return scaleReply(request, scaleOf(rule, written.object));
}

/** The object whose scale is meant. @throws StatusError NotFound */
function readScaled(request: ResourceRequest): ApiObject {
  const { env, kind, info } = request;
  const { definition } = kind;
  const version = env.store.get(definition.table, namespaceOf(request), info.name);
  if (version !== undefined) return objectOf(version);
  throw notFound(definition, info.name);
}

async function scaling(
  request: ResourceRequest,
  rule: ScaleRule,
  context: WriteContext,
): Promise<PendingWrite<Written>> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const wanted = await readScale(request, rule);
  const replicas = asNumber(valueAt(wanted, 'spec', 'replicas'));
  const isCustom = kind.version.type === undefined;
  checkScale(info.name, wanted, isCustom ? 0 : replicas);
  const { uid = '', resourceVersion = '' } = wanted.metadata;
  return updating(env, {
    ...targetOf(request),
    produce: (served) => {
      if (resourceVersion !== '' && resourceVersion !== served.metadata.resourceVersion)
        throw conflict(definition, info.name, MODIFIED);
      const changed = clone(served);
      if (uid !== '') changed.metadata.uid = uid;
      setAt(changed, rule.specReplicas, replicas);
      if (isCustom && replicas < 0) throw negativeReplicas(kind, rule, changed, replicas);
      return changed;
    },
    context,
  });
}

/** The Scale of the request, or the present one with its patch applied. */
async function readScale(request: ResourceRequest, rule: ScaleRule): Promise<ApiObject> {
  const { http, info } = request;
  const present = readScaled(request);
  // With its zeros, so that a patch finds what it replaces.
  const spec = { replicas: asNumber(valueAt(present, ...rule.specReplicas)) };
  const body =
    info.verb === 'update'
      ? await decodeTypedBody(http.body, http.headers['content-type'], SCALE.version.type)
      : await patchValue(request, SCALE, { ...scaleOf(rule, present), spec });
  return toKind(SCALE, body, fieldValidation(request), request.warnings);
}

/** A Scale in the view that was asked for. */
function scaleReply({ env, http, query }: ResourceRequest, scale: ApiObject): ApiReply {
  const renderer = new Renderer(SCALE, http.headers.accept, query.get('includeObject'), env.clock.now());
  return jsonReply(200, [renderer.object(scale)]);
}

function checkScale(name: string, scale: ApiObject, replicas: number): void {
  const given = scale.metadata.name ?? '';
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const errors = new FieldErrors();
  if (replicas < 0) errors.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  if (errors.length > 0) throw invalid('autoscaling', 'Scale', name, errors);
}

/** A custom kind is checked by its own schema first. */
function negativeReplicas(
  kind: ServedKind,
  rule: ScaleRule,
  object: ApiObject,
  replicas: number,
): StatusError {
  const { group, kind: name } = kind.definition;
  return invalid(group, name, object.metadata.name ?? '', [
    ...(kind.version.validate?.(object, undefined) ?? []),
    invalidField(`.${rule.specReplicas.join('.')}`, replicas, 'should be a non-negative integer'),
  ]);
}

function setAt(object: ApiObject, path: readonly string[], value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let parent: Record<string, unknown> = object;
  for (const field of path.slice(0, -1)) parent = childOf(parent, field);
  parent[last] = value;
}

/** The Scale of an object. */
function scaleOf(rule: ScaleRule, object: ApiObject): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(rule, object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp })),
    // Zero is left out, as every optional number.
    spec: withoutZero(asNumber(valueAt(object, ...rule.specReplicas))),
    status: {
      replicas: asNumber(valueAt(object, ...rule.statusReplicas)),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function withoutZero(replicas: number): { replicas?: number } {
  return replicas === 0 ? {} : { replicas };
}

function selectorText(rule: ScaleRule, object: ApiObject): string {
  if (rule.selectorText !== undefined) return asString(valueAt(object, ...rule.selectorText));
  const selector = valueAt(object, 'spec', 'selector');
  if (!isJson(selector)) return '';
  // A ReplicationController's selector is a plain map.
  const isPlain = Object.values(selector).every((value) => typeof value === 'string');
  const compiled = compileLabelSelector(
    isPlain ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector),
  );
  if (compiled === undefined) return '';
  return formatLabelSelector(
    compiled.map((requirement) => ({ ...requirement, values: [...requirement.values].sort() })),
  );
}
