/** The scale subresource: an autoscaling/v1 Scale over any kind that has a number of replicas. */

import type { LabelSelector } from '../../../api/core.ts';
import { compileLabelSelector, formatLabelSelector } from '../../../api/label-selector.ts';
import { toKind } from '../handlers/admit-body.ts';
import { patchValue } from '../handlers/patch.ts';
import { fieldValidation, type ResourceRequest, writeContext } from '../handlers/request.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, valueReply } from '../http/exchange.ts';
import { conflict, invalid, MODIFIED, methodNotAllowed, noSuchPath, notFound } from '../http/status.ts';
import { defineKind } from '../kinds/define.ts';
import type { ScaleRule } from '../kinds/kind.ts';
import { type ApiObject, asNumber, asString, childOf, clone, isJson, valueAt } from '../object.ts';
import { objectOf } from '../registry/encode.ts';
import { readVersion } from '../registry/read.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { invalidField } from '../validation/field.ts';

const SCALE: ServedKind = ((): ServedKind => {
  const definition = defineKind({ group: 'autoscaling', plural: 'scales', kind: 'Scale', versions: ['v1'] });
  const [version = { name: 'v1' }] = definition.versions;
  return { definition, version, apiVersion: 'autoscaling/v1' };
})();

export async function handleScale(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info, http } = request;
  const { definition } = kind;
  const rule = definition.scale;
  if (rule === undefined)
    throw kind.version.type === undefined ? notFound(definition, info.name) : noSuchPath();
  const namespace = definition.namespaced ? info.namespace : '';
  const present = (): ApiObject => objectOf(readVersion(env, definition, namespace, info.name));
  if (info.verb === 'get') return valueReply(200, scaleOf(rule, present()));
  if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed();
  const context = writeContext(request);
  const current = scaleOf(rule, present());
  const body =
    info.verb === 'update'
      ? await decodeTypedBody(http.body, http.headers['content-type'], SCALE.version.type)
      : await patchValue(request, SCALE, current);
  const wanted = toKind(SCALE, body, fieldValidation(request), request.warnings);
  const replicas = asNumber(valueAt(wanted, 'spec', 'replicas'));
  if (replicas < 0) {
    throw invalid('autoscaling', 'Scale', info.name, [
      invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  const given = wanted.metadata.resourceVersion ?? '';
  const written = updateObject(env, {
    kind,
    namespace,
    name: info.name,
    subresource: 'scale',
    produce: (served) => {
      if (given !== '' && given !== served.metadata.resourceVersion)
        throw conflict(definition, info.name, MODIFIED);
      const changed = clone(served);
      setAt(changed, rule.specReplicas, replicas);
      return changed;
    },
    restrict: (object, old) => {
      if (old.status !== undefined) object.status = old.status;
    },
    context,
  });
  await env.store.flushed();
  return valueReply(200, scaleOf(rule, written.object));
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
  return compiled === undefined ? '' : formatLabelSelector(compiled);
}
