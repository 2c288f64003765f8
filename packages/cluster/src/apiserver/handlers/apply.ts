/** Server-side apply as a request: `PATCH` with `application/apply-patch+yaml`. */
import { carryOut } from '../admission/webhooks/carry-out.ts';
import { decodeBody } from '../http/decode.ts';
import type { ApiReply } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { badRequest, conflict as conflictOf, invalid, StatusError } from '../http/status.ts';
import { type ApiObject, asJson, clone, isJson } from '../object.ts';
import { apply, type Conflict } from '../patch/apply/apply.ts';
import { refreshAnnotation, withoutOwnConflicts } from '../patch/apply/last-applied.ts';
import type { ManagerId } from '../patch/apply/managers.ts';
import type { Shape } from '../patch/apply/shape.ts';
import { typeMistake } from '../patch/apply/type-mistake.ts';
import { findDuplicate } from '../patch/apply/typed.ts';
import type { Written } from '../registry/create.ts';
import type { WriteContext } from '../registry/environment.ts';
import { shapeOfServed } from '../registry/ownership.ts';
import type { PendingWrite } from '../registry/pending-write.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updating } from '../registry/update.ts';
import { decodeAs, toKind } from '../request/admit-body.ts';
import {
  fieldValidation,
  queryBoolean,
  type ResourceRequest,
  targetOf,
  writeContext,
} from '../request/request.ts';
import { requiredField } from '../validation/field.ts';
import { writtenReply } from './written-reply.ts';

export async function handleApply(request: ResourceRequest): Promise<ApiReply> {
  const context = { ...writeContext(request), isApply: true };
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') {
    throw invalid('meta.k8s.io', 'PatchOptions', '', [
      requiredField('fieldManager', 'is required for apply patch'),
    ]);
  }
  const written = await carryOut(request, async () =>
    applying(request, await readConfig(request), manager, context),
  );
  return writtenReply(request, written);
}

/** The applied configuration. @throws StatusError when it does not fit the URL or its kind */
async function readConfig({ http, kind, info }: ResourceRequest): Promise<ApiObject> {
  const body = await decodeBody(http.body, 'application/apply-patch+yaml');
  if (!isJson(body)) throw badRequest('an apply configuration must be an object');
  const config = withNameOf(info, toApplied(body, kind.apiVersion, kind.definition.kind));
  const duplicate = findDuplicate(config, shapeOfServed(kind));
  if (duplicate !== undefined) throw untyped(duplicate, { kind, config });
  checkTyped(kind, config);
  return config;
}

function applying(
  request: ResourceRequest,
  config: ApiObject,
  manager: string,
  context: WriteContext,
): PendingWrite<Written> {
  const { env, kind, info, query } = request;
  const validation = fieldValidation(request);
  const { uid = '', resourceVersion = '' } = config.metadata;
  const merge = (live: ApiObject | undefined): ApiObject => {
    const merged = mergeInto(live, config, {
      id: { name: manager, operation: 'Apply', apiVersion: kind.apiVersion, subresource: info.subresource },
      shape: shapeOfServed(kind),
      isForced: queryBoolean(query, 'force'),
      now: env.clock.now(),
    });
    return toKind(kind, merged, validation, request.warnings);
  };
  return updating(env, {
    ...targetOf(request),
    isPatch: true,
    produce: (current) => {
      const merged = merge(current);
      // Applying has no stale write: the configuration says all it wants. A version in it is a precondition.
      if (uid !== '') merged.metadata.uid = uid;
      merged.metadata.resourceVersion = resourceVersion || (current.metadata.resourceVersion ?? '');
      return merged;
    },
    produceMissing: () => {
      if (info.subresource !== '') return undefined;
      if (uid === '') return merge(undefined);
      throw conflictOf(
        kind.definition,
        info.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    },
    context,
  });
}

/** The live object with the configuration merged in. @throws StatusError where others own what would change */
function mergeInto(
  live: ApiObject | undefined,
  config: ApiObject,
  by: { readonly id: ManagerId; readonly shape: Shape; readonly isForced: boolean; readonly now: number },
): ApiObject {
  const { id: manager, shape, now } = by;
  const request = { live, config, manager, shape, now };
  let applied = apply({ ...request, force: by.isForced });
  if (applied.kind === 'conflict') {
    const conflicts = withoutOwnConflicts(applied.conflicts, manager.name, live, shape);
    if (conflicts.length > 0) throw conflictError(conflicts);
    applied = apply({ ...request, force: true });
  }
  if (applied.kind === 'conflict') throw conflictError(applied.conflicts);
  refreshAnnotation(applied.object, config, manager.name);
  return applied.object;
}

/** Everything applied must be of the kind: what it does not know could have no owner. */
function checkTyped(kind: ServedKind, config: ApiObject): void {
  const subject = { kind, config };
  const type = kind.version.type;
  const mistake = type === undefined ? undefined : typeMistake(config, { kind: 'struct', name: type }, '');
  if (mistake !== undefined) throw untyped(mistake, subject);
  const [first] = unknownFields(kind, config);
  if (first !== undefined) throw untyped(`.${first}: field not declared in schema`, subject);
}

function unknownFields(kind: ServedKind, config: ApiObject): readonly string[] {
  try {
    return decodeAs(kind, clone(config)).unknown;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw untyped(error.message, { kind, config }, error);
  }
}

/** The real server finds such things where it is past blaming the client. */
function untyped(
  why: string,
  { kind, config }: { readonly kind: ServedKind; readonly config: ApiObject },
  cause?: unknown,
): StatusError {
  const { namespace = '', name = '' } = config.metadata;
  const version = kind.apiVersion.includes('/') ? kind.apiVersion : `/${kind.apiVersion}`;
  const subject = `${namespace}/${name}; ${version}, Kind=${kind.definition.kind}`;
  return new StatusError(500, '', `failed to create typed patch object (${subject}): ${why}`, undefined, {
    cause,
  });
}

/** The configuration as an object; what it says must fit the URL. */
function toApplied(body: Record<string, unknown>, apiVersion: string, kind: string): ApiObject {
  if ((body.apiVersion ?? '') === '') {
    throw badRequest(`invalid object type: /, Kind=${String(body.kind ?? '')}`);
  }
  if (body.apiVersion !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${String(body.apiVersion ?? '')}, expected: ${apiVersion}`,
    );
  }
  if ((body.kind ?? '') === '') {
    const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`invalid object type: ${group}, Kind=`);
  }
  if (body.kind !== kind)
    throw badRequest(
      `Incorrect kind specified in apply patch: ${String(body.kind ?? '')}, expected: ${kind}`,
    );
  return { ...body, metadata: asJson(body.metadata) };
}

function withNameOf(info: RequestInfo, config: ApiObject): ApiObject {
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
