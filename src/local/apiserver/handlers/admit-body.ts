/** From a decoded body to an object of the request's kind: types, unknown fields, custom schemas. */
import { asApiObject } from '../http/decode.ts';
import { badRequest, invalid } from '../http/status.ts';
import { type ApiObject, asJson, asString, isJson, type Json } from '../object.ts';
import type { ServedKind } from '../registry/registry.ts';
import { DecodeError, decodeStruct } from '../schema/decode.ts';
import { invalidField } from '../validation/field.ts';
import type { FieldValidation } from './request.ts';

/**
 * The object in the form its kind promises; a fresh copy. Unknown fields are dropped; whether that is refused, warned
 * about or silent is `validation`. Throws BadRequest.
 */
export function toKind(
  kind: ServedKind,
  value: unknown,
  validation: FieldValidation,
  warnings: string[],
): ApiObject {
  const { definition, version, apiVersion } = kind;
  if (version.type === undefined && isJson(value) && asString(value.kind) === '') {
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  }
  if (version.type === undefined && isJson(value)) checkCustomKind(kind, value);
  const whole = asApiObject(value, apiVersion, definition.kind);
  if (version.type === undefined) {
    const { object, unknown } = version.decode?.(whole) ?? { object: whole, unknown: [] };
    reportUnknown(unknown, validation, warnings, (text) => text);
    return object;
  }
  const prefix = `${definition.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${definition.kind}: `;
  try {
    const decoded = decodeStruct(version.type, whole);
    reportUnknown(decoded.unknown, validation, warnings, (text) => `${prefix}${text}`);
    // decodeStruct has checked metadata against its type; `asApiObject` has made sure that it is there.
    return decoded.value as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`${prefix}${error.message}`, error);
  }
}

/** Custom kinds are told apart by other words than built-in ones. */
function checkCustomKind({ definition, apiVersion }: ServedKind, value: Json): void {
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

function reportUnknown(
  unknown: readonly string[],
  validation: FieldValidation,
  warnings: string[],
  wrap: (text: string) => string,
): void {
  if (unknown.length === 0 || validation === 'Ignore') return;
  const texts = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (validation === 'Warn') warnings.push(...texts);
  else throw badRequest(wrap(`strict decoding error: ${texts.join(', ')}`));
}
