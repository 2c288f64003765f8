/** Server-side apply as a request: `PATCH` with `application/apply-patch+yaml`. */
import { decodeBody } from '../http/decode.ts';
import type { ApiReply } from '../http/exchange.ts';
import { badRequest, conflict as conflictOf, invalid, StatusError } from '../http/status.ts';
import { type ApiObject, asJson, clone, isJson } from '../object.ts';
import { apply, type Conflict } from '../patch/apply/apply.ts';
import { refreshAnnotation, withoutOwnConflicts } from '../patch/apply/last-applied.ts';
import { findDuplicate } from '../patch/apply/typed.ts';
import { shapeOfServed } from '../registry/ownership.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { requiredField } from '../validation/field.ts';
import { toKind } from './admit-body.ts';
import { fieldValidation, queryBoolean, type ResourceRequest, writeContext } from './request.ts';
import { writtenReply } from './write.ts';

export async function handleApply(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info, query, http } = request;
  const { definition } = kind;
  const context = { ...writeContext(request), isApply: true };
  const validation = fieldValidation(request);
  const manager = query.get('fieldManager') ?? '';
  if (manager === '') {
    throw invalid('meta.k8s.io', 'PatchOptions', '', [
      requiredField('fieldManager', 'is required for apply patch'),
    ]);
  }
  const body = await decodeBody(http.body, 'application/apply-patch+yaml');
  if (!isJson(body)) throw badRequest('an apply configuration must be an object');
  const config = checkedConfig(request, toApplied(body, kind.apiVersion, definition.kind));
  const shape = shapeOfServed(kind);
  const duplicate = findDuplicate(config, shape);
  if (duplicate !== undefined) throw untyped(duplicate);
  checkTyped(kind, config);
  const merge = (live: ApiObject | undefined): ApiObject => {
    const wanted = {
      live,
      config,
      manager: {
        name: manager,
        operation: 'Apply',
        apiVersion: kind.apiVersion,
        subresource: info.subresource,
      },
      shape,
      now: env.clock.now(),
    } as const;
    const applied = apply({ ...wanted, force: queryBoolean(query, 'force') });
    if (applied.kind === 'merged') return refreshed(applied.object, config, manager);
    const conflicts = withoutOwnConflicts(applied.conflicts, manager, live, shape);
    if (conflicts.length > 0) throw conflictError(conflicts);
    const forced = apply({ ...wanted, force: true });
    if (forced.kind === 'conflict') throw conflictError(forced.conflicts);
    return refreshed(forced.object, config, manager);
  };
  const namespace = definition.namespaced ? info.namespace : '';
  const given = config.metadata.resourceVersion ?? '';
  const written = updateObject(env, {
    kind,
    namespace,
    name: info.name,
    subresource: info.subresource,
    isPatch: true,
    produce: (current) => {
      const merged = toKind(kind, merge(current), validation, request.warnings);
      // Applying has no stale write: the configuration says all it wants. A version in it is a precondition.
      if ((config.metadata.uid ?? '') !== '') merged.metadata.uid = config.metadata.uid ?? '';
      merged.metadata.resourceVersion = given === '' ? (current.metadata.resourceVersion ?? '') : given;
      return merged;
    },
    produceMissing: () => {
      if (info.subresource !== '') return undefined;
      if ((config.metadata.uid ?? '') !== '') {
        throw conflictOf(
          definition,
          info.name,
          `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`,
        );
      }
      return toKind(kind, merge(undefined), validation, request.warnings);
    },
    context,
  });
  return writtenReply(request, written);
}

/** Everything applied must be of the kind: what it does not know could be owned by nobody. */
function checkTyped(kind: ServedKind, config: ApiObject): void {
  const [first] = unknownFields(kind, config);
  if (first === undefined) return;
  throw untyped(`.${first}: field not declared in schema`);
}

function unknownFields(kind: ServedKind, config: ApiObject): string[] {
  const warnings: string[] = [];
  try {
    toKind(kind, clone(config), 'Warn', warnings);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw untyped(error.message, error);
  }
  return warnings.flatMap((text) => /^unknown field "(.*)"$/.exec(text)?.[1] ?? []);
}

/** The real server finds such things where it is past blaming the client. */
function untyped(why: string, cause?: unknown): StatusError {
  return new StatusError(500, '', `failed to create typed patch object: ${why}`, undefined, { cause });
}

function refreshed(object: ApiObject, config: ApiObject, manager: string): ApiObject {
  refreshAnnotation(object, config, manager);
  return object;
}

/** The configuration as an object; what it says must fit the URL. */
function toApplied(body: Record<string, unknown>, apiVersion: string, kind: string): ApiObject {
  if (body.apiVersion !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${String(body.apiVersion ?? '')}, expected: ${apiVersion}`,
    );
  }
  if ((body.kind ?? '') === '') {
    const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw untyped(`no corresponding type for ${group}, Kind=`);
  }
  if (body.kind !== kind)
    throw badRequest(
      `Incorrect kind specified in apply patch: ${String(body.kind ?? '')}, expected: ${kind}`,
    );
  return { ...body, metadata: asJson(body.metadata) };
}

function checkedConfig({ info }: ResourceRequest, config: ApiObject): ApiObject {
  const { metadata } = config;
  if ((metadata.managedFields?.length ?? 0) > 0) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const name = metadata.name ?? '';
  if (name !== '' && name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  return { ...config, metadata: { ...metadata, name: info.name } };
}

function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.flatMap(({ manager, paths }) => {
    const sub = manager.subresource === '' ? '' : ` with subresource ${JSON.stringify(manager.subresource)}`;
    // An applier is the same one in every version, an updater is not.
    const version = manager.operation === 'Apply' ? '' : ` using ${manager.apiVersion}`;
    const using = `${JSON.stringify(manager.name)}${sub}${version}`;
    return paths.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${using}`,
      field,
    }));
  });
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return new StatusError(409, 'Conflict', `Apply failed with 1 conflict: ${only.message}: ${only.field}`, {
      causes,
    });
  }
  const groups = Map.groupBy(causes, ({ message }) => message.replace('conflict with', 'conflicts with'));
  const shown = [...groups].map(
    ([text, fields]) => `${text}:\n${fields.map(({ field }) => `- ${field}`).join('\n')}`,
  );
  return new StatusError(
    409,
    'Conflict',
    `Apply failed with ${causes.length} conflicts: ${shown.join('\n')}`,
    { causes },
  );
}
