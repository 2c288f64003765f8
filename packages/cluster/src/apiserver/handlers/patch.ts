import { applyMergePatch } from '@turnsole/kube/text/merge-patch';
import { carryOut } from '../admission/webhooks/carry-out.ts';
import { decodeBody, mediaType } from '../http/decode.ts';
import type { ApiReply } from '../http/exchange.ts';
import { badRequest, invalid, StatusError, unsupportedMediaType } from '../http/status.ts';
import { type ApiObject, clone, isJson } from '../object.ts';
import { applyJsonPatch, PatchError } from '../patch/json-patch.ts';
import { converterWords, goText } from '../patch/misfit-words.ts';
import { applyStrategicPatch, MergeKeyError } from '../patch/strategic.ts';
import type { ServedKind } from '../registry/registry.ts';
import { updating } from '../registry/update.ts';
import { MisfitError, toKind } from '../request/admit-body.ts';
import {
  type FieldValidation,
  fieldValidation,
  type ResourceRequest,
  targetOf,
  writeContext,
} from '../request/request.ts';
import { invalidField } from '../validation/field.ts';
import { writtenReply } from './written-reply.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** PATCH of an object or of its status, in any format but apply. */
export async function handlePatch(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind } = request;
  const context = writeContext(request);
  const validation = fieldValidation(request);
  const written = await carryOut(request, async () => {
    const patch = await readPatch(request, kind);
    return updating(env, {
      ...targetOf(request),
      isPatch: true,
      produce: (current) => patchedKind(kind, patch, current, validation, request.warnings),
      context,
    });
  });
  return writtenReply(request, written);
}

/** The patched object in its kind's form; what does not fit is blamed on the patch, as the real server does. */
function patchedKind(
  kind: ServedKind,
  patch: Patch,
  current: ApiObject,
  validation: FieldValidation,
  warnings: string[],
): ApiObject {
  const patched = patch.apply(current);
  try {
    return toKind(kind, patched, validation, warnings);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    // The prefix of a misfit names the kind; here the path of the error does.
    const why = error instanceof MisfitError ? error.why : error.message;
    const blame = patch.isStrategic
      ? invalidField('patch', goText(patch.content), converterWords(why))
      : invalidField('patch', JSON.stringify(patched), why);
    throw invalid('', '', '', [blame]);
  }
}

/** The value of a subresource such as scale with the request's patch applied. */
export async function patchValue(
  request: ResourceRequest,
  kind: ServedKind,
  current: ApiObject,
): Promise<unknown> {
  return (await readPatch(request, kind)).apply(current);
}

interface Patch {
  readonly content: unknown;
  readonly isStrategic: boolean;
  /** The patched object; the input is not changed. */
  apply(current: ApiObject): unknown;
}

async function readPatch({ http }: ResourceRequest, kind: ServedKind): Promise<Patch> {
  const type = mediaType(http.headers['content-type']);
  const isCustom = kind.version.type === undefined;
  const supported = [JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (!supported.includes(type)) {
    if (isCustom) {
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
      );
    }
    // Refused before any handler sees it, which is why it says so little.
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const content = await readBody(http.body, type);
  return {
    content,
    isStrategic: type === STRATEGIC_PATCH,
    apply: (current) => applyPatch(type, current, content, kind),
  };
}

/** Clients replace ownership by its path, which is not there where none is kept. */
function withManagedFields(object: ApiObject): ApiObject {
  if (object.metadata.managedFields !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

async function readBody(body: Buffer, type: string): Promise<unknown> {
  try {
    return await decodeBody(body, 'application/json');
  } catch (error) {
    // A patch has no kind that could be missed.
    if ((type === MERGE_PATCH || type === STRATEGIC_PATCH) && error instanceof StatusError)
      throw badRequest(error.message.replace("couldn't get version/kind; json parse error: ", ''), error);
    throw error;
  }
}

function applyPatch(type: string, current: ApiObject, patch: unknown, kind: ServedKind): unknown {
  try {
    switch (type) {
      case JSON_PATCH:
        return applyJsonPatch(withManagedFields(current), patch);
      case STRATEGIC_PATCH:
        return applyStrategicPatch(current, patch, kind.version.type ?? '');
      default:
        if (!isJson(patch)) throw new PatchError('a merge patch is an object');
        // Copied, because what follows may change it and custom kinds have no decoder that copies.
        return clone(applyMergePatch(current, patch));
    }
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // A patch that fails a test, misses a path or cannot be read: the real server says no more than this.
    if (type === JSON_PATCH && Array.isArray(patch)) {
      throw new StatusError(
        422,
        'Invalid',
        'the server rejected our request due to an error in our request',
        {},
        { cause: error },
      );
    }
    // The real server passes this one on without a reason.
    if (error instanceof MergeKeyError)
      throw new StatusError(500, '', error.message, undefined, { cause: error });
    throw badRequest(error.message, error);
  }
}
