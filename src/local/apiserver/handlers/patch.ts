import { typeInvalid } from '../../../api/validation/field-error.ts';
import { decodeBody, mediaType } from '../http/decode.ts';
import type { ApiReply } from '../http/exchange.ts';
import { badRequest, invalid, StatusError, unsupportedMediaType } from '../http/status.ts';
import { type ApiObject, clone } from '../object.ts';
import { applyJsonPatch, PatchError } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicPatch } from '../patch/strategic.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updateObject } from '../registry/update.ts';
import { fieldError } from '../validation/field.ts';
import { toKind } from './admit-body.ts';
import { fieldValidation, type ResourceRequest, writeContext } from './request.ts';
import { writtenReply } from './write.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** PATCH of an object or of its status, in any format but apply. */
export async function handlePatch(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const context = writeContext(request);
  const validation = fieldValidation(request);
  const apply = await readPatch(request, kind);
  const namespace = definition.namespaced ? info.namespace : '';
  const written = updateObject(env, {
    kind,
    namespace,
    name: info.name,
    subresource: info.subresource,
    produce: (current) => toKind(kind, apply(current), validation, request.warnings),
    context,
  });
  await env.store.flushed();
  return writtenReply(request, written);
}

/** The value of a subresource such as scale with the request's patch applied. */
export async function patchValue(
  request: ResourceRequest,
  kind: ServedKind,
  current: ApiObject,
): Promise<unknown> {
  return (await readPatch(request, kind))(current);
}

/** Reads a patch; the function it gives applies it without changing its input. */
async function readPatch(
  { http, info }: ResourceRequest,
  kind: ServedKind,
): Promise<(current: ApiObject) => unknown> {
  const type = mediaType(http.headers['content-type']);
  const isCustom = kind.version.type === undefined;
  const supported = [JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (!supported.includes(type)) {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
    );
  }
  const patch = await decodeBody(http.body, 'application/json');
  return (current) => applyPatch(type, current, patch, kind, info.name);
}

function applyPatch(
  type: string,
  current: ApiObject,
  patch: unknown,
  kind: ServedKind,
  name: string,
): unknown {
  try {
    switch (type) {
      case JSON_PATCH:
        return applyJsonPatch(current, patch);
      case STRATEGIC_PATCH:
        return applyStrategicPatch(current, patch, kind.version.type ?? '');
      default:
        // Copied, because what follows may change it and custom kinds have no decoder that copies.
        return clone(applyMergePatch(current, patch));
    }
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.isMalformed) throw badRequest(error.message, error);
    // The patch is well formed and does not fit the object: the real server says so with 422.
    if (type === JSON_PATCH)
      throw new StatusError(
        422,
        'Invalid',
        `the server rejected our request due to an error in our request: ${error.message}`,
        {},
        { cause: error },
      );
    throw invalid(kind.definition.group, kind.definition.kind, name, [
      fieldError(typeInvalid, 'patch', patch, error.message),
    ]);
  }
}
