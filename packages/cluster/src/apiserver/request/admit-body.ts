/** From a decoded body to an object of the request's kind: types, unknown fields, custom schemas. */
import { asApiObject, decodeTypedBody } from '../http/decode.ts';
import { badRequest, invalid, StatusError } from '../http/status.ts';
import { type ApiObject, asJson, asString, isJson, type Json } from '../object.ts';
import type { ServedKind } from '../registry/registry.ts';
import { DecodeError, decodeStruct } from '../schema/decode.ts';
import { invalidField } from '../validation/field.ts';
import { type FieldValidation, fieldValidation, type ResourceRequest } from './request.ts';

/** A value that does not fit the type of its kind. */
export class MisfitError extends StatusError {
  /** The reason why the body does not fit, without the kind. */
  readonly why: string;

  constructor({ definition, version }: ServedKind, why: string, cause?: unknown) {
    const { kind } = definition;
    const where = `${kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${kind}`;
    super(400, 'BadRequest', `${where}: ${why}`, undefined, { cause });
    this.why = why;
  }
}

/** An object in the form its kind promises, and the paths of the fields that the kind does not know and that were dropped. */
interface Decoded {
  readonly object: ApiObject;
  readonly unknown: readonly string[];
}

/** The object of a request's body. @throws StatusError where it is no object of the request's kind */
export async function readObject(request: ResourceRequest): Promise<ApiObject> {
  const { http, kind } = request;
  if (http.body.length === 0) throw badRequest('the request has no body; an object is expected');
  const value = await decodeTypedBody(http.body, http.headers['content-type'], kind.version.type);
  return toKind(kind, value, fieldValidation(request), request.warnings);
}

/**
 * The object in the form its kind promises; a fresh copy. Unknown fields are dropped; whether that is refused, warned
 * about or silent is `validation`.
 * @throws StatusError BadRequest
 */
export function toKind(
  kind: ServedKind,
  value: unknown,
  validation: FieldValidation,
  warnings: string[],
): ApiObject {
  const { object, unknown } = decodeAs(kind, value);
  if (unknown.length === 0 || validation === 'Ignore') return object;
  const texts = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (validation === 'Strict') {
    const why = `strict decoding error: ${texts.join(', ')}`;
    throw new MisfitError(kind, why);
  }
  warnings.push(...texts);
  return object;
}

/** The object without its unknown fields, which are listed beside it. @throws StatusError BadRequest */
export function decodeAs(kind: ServedKind, value: unknown): Decoded {
  const { definition, version, apiVersion } = kind;
  if (version.type === undefined) {
    if (isJson(value)) checkCustomKind(kind, value);
    const whole = asApiObject(value, apiVersion, definition.kind);
    return version.decode?.(whole) ?? { object: whole, unknown: [] };
  }
  const whole = asApiObject(value, apiVersion, definition.kind);
  try {
    const { value: decoded, unknown } = decodeStruct(version.type, whole);
    // decodeStruct has checked metadata against its type; `asApiObject` has made sure that it is there.
    return { object: decoded as ApiObject, unknown };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new MisfitError(kind, error.message, error);
  }
}

/** Custom kinds get other error messages than built-in ones. */
function checkCustomKind({ definition, apiVersion }: ServedKind, value: Json): void {
  if (asString(value.kind) === '') throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  const found = asString(value.apiVersion) || apiVersion;
  if (found !== apiVersion) {
    throw badRequest(
      `the API version in the data (${found}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (value.kind === definition.kind) return;
  const name = asString(asJson(value.metadata).name);
  throw invalid(definition.group, asString(value.kind), name, [
    invalidField('kind', value.kind, `must be ${definition.kind}`),
  ]);
}
