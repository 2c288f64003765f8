import { structOf } from '@turnsole/kube/schema/kubernetes/types';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type ApiObject, asString, isJson, type Json } from '../object.ts';
import { openEnvelope, ProtobufError, readMessage } from '../schema/protobuf.ts';
import { badRequest, type StatusError, tooLarge, unsupportedMediaType } from './status.ts';

/** Deeper JSON is refused: nothing real is, and recursive code behind the door must not run out of stack. */
const MAX_DEPTH = 512;
/** More fields and items are refused: three megabytes of the smallest ones would keep the server busy for seconds. */
const MAX_VALUES = 100_000;
/** Longer YAML is refused, JSON of any size that is served is not: parsing YAML takes fifty times as long. */
const MAX_YAML_BYTES = 256 * 1024;
/** In longer YAML repeated keys are not looked for: the parser compares each key with all others. */
const MAX_UNIQUE_YAML_BYTES = 64 * 1024;

/** Media type of a Content-Type header without parameters; '' when absent. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Reads a JSON body, or YAML where the type says so. Throws BadRequest and UnsupportedMediaType. */
export async function decodeBody(body: Buffer, contentType: string | undefined): Promise<unknown> {
  const type = mediaType(contentType);
  if (type === 'application/yaml' || type === 'application/apply-patch+yaml') return decodeYaml(body);
  if (type === '' || type === '*/*' || type === 'application/json' || type.endsWith('+json'))
    return decodeJson(body);
  throw unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}

/** Reads a body of a built-in type, which may be protobuf too. */
export async function decodeTypedBody(
  body: Buffer,
  contentType: string | undefined,
  typeName: string | undefined,
): Promise<unknown> {
  if (mediaType(contentType) !== PROTOBUF_TYPE || typeName === undefined)
    return decodeBody(body, contentType);
  try {
    const { apiVersion, kind, raw } = openEnvelope(body);
    return { apiVersion, kind, ...readMessage(typeName, raw) };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw badRequest(error.message, error);
  }
}

/** Parses JSON that may come from a hostile client. */
export function decodeJson(body: Buffer): unknown {
  checkSize(body);
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(syntaxMessage(error, text), error);
  }
  // A cheap look first; escapes could hide the name.
  if (text.includes('__proto__') || text.includes('\\u005')) refusePrototypeKeys(value);
  return value;
}

/** The message for invalid JSON, in the words of the real server where they are the same everywhere. */
function syntaxMessage(error: unknown, text: string): string {
  const found = messageOf(error);
  const isCut =
    /^Unexpected end|^Unterminated|after.*at position|position \d+ \(line/.test(found) &&
    endsEarly(found, text);
  const why = isCut ? 'unexpected end of JSON input' : found;
  return `couldn't get version/kind; json parse error: ${why}`;
}

/** Whether the parser failed at the very end of the text. */
function endsEarly(found: string, text: string): boolean {
  const position = /position (\d+)/.exec(found)?.[1];
  return position === undefined || Number(position) >= text.trimEnd().length;
}

async function decodeYaml(body: Buffer): Promise<unknown> {
  // JSON is YAML, and much faster to parse as JSON.
  if (body[0] === 0x7b || body[0] === 0x5b) return decodeJson(body);
  if (body.length > MAX_YAML_BYTES) {
    throw tooLarge(`YAML of ${body.length} bytes is too large: limit is ${MAX_YAML_BYTES}; send it as JSON`);
  }
  checkFlowDepth(body);
  const { parse } = await import('yaml');
  let json: string;
  try {
    // Through JSON: depth, keys and types are then those that JSON has. A cycle of aliases fails here.
    json = JSON.stringify(
      parse(body.toString('utf8'), {
        maxAliasCount: 100,
        version: '1.1',
        uniqueKeys: body.length <= MAX_UNIQUE_YAML_BYTES,
      }) ?? null,
    );
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`, error);
  }
  return decodeJson(Buffer.from(json));
}

/** Brackets that are open at a time, wherever they stand: the parser would take seconds until its stack ends. */
function checkFlowDepth(body: Buffer): void {
  let depth = 0;
  for (const byte of body) {
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth = Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) throw badRequest('error decoding YAML: exceeded max depth');
  }
}

function refusePrototypeKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) throw badRequest('a field must not be named "__proto__"');
  for (const item of Object.values(value)) refusePrototypeKeys(item);
}

/** Counts levels and values before anything is parsed. */
function checkSize(body: Buffer): void {
  if (body.length < MAX_DEPTH * 2) return;
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x2c) {
      values += 1;
      if (values > MAX_VALUES) throw tooLarge(`the body has more than ${MAX_VALUES} fields and items`);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw badRequest('error decoding body: exceeded max depth');
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
}

/** A whole object of an expected kind. Missing apiVersion and kind are taken from the URL, as the real server does. */
export function asApiObject(given: unknown, apiVersion: string, kind: string): ApiObject {
  // An empty object is what null decodes to.
  const value = given === null ? {} : given;
  if (!isJson(value)) throw unrecognized(kind, value);
  const foundVersion = asString(value.apiVersion) || apiVersion;
  const foundKind = asString(value.kind) || kind;
  if (foundVersion !== apiVersion || foundKind !== kind)
    throw otherKind(foundVersion, foundKind, apiVersion, kind);
  const { apiVersion: _version, kind: _kind, ...rest } = value;
  return { kind, apiVersion, ...rest, metadata: checkMetadata(value.metadata, kind, apiVersion) };
}

/** What Go calls the type of a JSON value. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function unrecognized(kind: string, value: unknown): StatusError {
  const target =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const hex = Buffer.from(JSON.stringify(value)).subarray(0, 30).toString('hex');
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go value of type ${target} (${hex})`,
  );
}

/** The refusal of an object of another kind than the URL's: known kinds cannot be converted, others are unknown. */
function otherKind(foundVersion: string, foundKind: string, apiVersion: string, kind: string): StatusError {
  const [version = ''] = foundVersion.split('/').slice(-1);
  const prefix = `${foundKind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: `;
  const isKnown = structOf(`${packageOf(foundVersion)}.${version}.${foundKind}`) !== undefined;
  if (!isKnown) {
    const why = `no kind ${JSON.stringify(foundKind)} is registered for version ${JSON.stringify(foundVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
    return badRequest(`${prefix}${why}`);
  }
  return badRequest(
    `${prefix}converting (${version}.${foundKind}) to (${packageOf(apiVersion)}.${kind}): unknown conversion`,
  );
}

/** The first part of a group, as in package names: `core`, `apps`, `rbac`. */
function packageOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('.')[0]?.split('/')[0] ?? '') : 'core';
}

const TEXTS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
];
const MAPS = ['labels', 'annotations'];
/** Fields with their types and those of their items, as the real server names them. */
const LISTS = [
  ['finalizers', '[]string', 'string'],
  ['ownerReferences', '[]v1.OwnerReference', 'v1.OwnerReference'],
  ['managedFields', '[]v1.ManagedFieldsEntry', 'v1.ManagedFieldsEntry'],
] as const;

/** Refuses metadata whose fields are of the wrong type; nulls count as absent. */
function checkMetadata(value: unknown, kind: string, apiVersion: string): Json {
  const wrong = (found: unknown, field: string, type: string): never => {
    throw badRequest(
      `${kind} in version ${JSON.stringify(apiVersion.split('/').at(-1))} cannot be handled as a ${kind}: json: cannot unmarshal ${goType(found)} into Go struct field ObjectMeta.${field} of type ${type}`,
    );
  };
  if (value === undefined || value === null) return {};
  if (!isJson(value)) return wrong(value, 'metadata', 'v1.ObjectMeta');
  for (const key of Object.keys(value)) if (value[key] === null) delete value[key];
  for (const field of TEXTS) {
    const found = value[field];
    if (found !== undefined && typeof found !== 'string') wrong(found, `metadata.${field}`, 'string');
  }
  for (const field of MAPS) {
    const found = value[field];
    if (found === undefined) continue;
    if (!isJson(found)) wrong(found, `metadata.${field}`, 'map[string]string');
    for (const [key, item] of Object.entries(found as Json)) {
      if (item === null) (found as Json)[key] = '';
      else if (typeof item !== 'string') wrong(item, `metadata.${field}`, 'string');
    }
  }
  for (const [field, type, itemType] of LISTS) {
    const list = value[field];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return wrong(list, `metadata.${field}`, type);
    for (const item of list) {
      const fits = itemType === 'string' ? typeof item === 'string' : isJson(item);
      if (!fits) wrong(item, `metadata.${field}`, itemType);
    }
  }
  for (const field of ['generation', 'deletionGracePeriodSeconds']) {
    const found = value[field];
    if (found !== undefined && typeof found !== 'number') wrong(found, `metadata.${field}`, 'int64');
  }
  return value;
}
