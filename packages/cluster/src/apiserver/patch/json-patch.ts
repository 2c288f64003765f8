/** JSON Patch (RFC 6902) with JSON Pointers (RFC 6901). */
import { equalJson } from '@turnsole/kube/text/json';
import { asString, clone, isJson, type Json } from '../object.ts';

/** A patch that cannot be applied; the message is for the user. `isMalformed`: the syntax is wrong; else it does not fit the object. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly isMalformed: boolean;

  constructor(message: string, isMalformed = false) {
    super(message);
    this.isMalformed = isMalformed;
  }
}

/** An operation `test` that does not hold. */
export class FailedTestError extends PatchError {}

/** More operations are refused: each may copy the document. */
const MAX_OPERATIONS = 10_000;

/** All copies together, as long as JSON: copies of copies double with each operation. The real server's limit. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** The document with the operations applied. The input is not changed. Throws {@link PatchError}. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw new PatchError(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      true,
    );
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
      true,
    );
  }
  const holder: Json = { root: clone(document) };
  const budget = { bytes: MAX_COPIED_BYTES };
  for (const operation of patch) {
    if (!isJson(operation)) throw new PatchError('an operation of a JSON patch must be an object', true);
    applyOperation(holder, operation, budget);
  }
  return holder.root;
}

function applyOperation(holder: Json, operation: Json, budget: { bytes: number }): void {
  const { op, value } = operation;
  const path = asString(operation.path);
  if (typeof operation.path !== 'string') {
    throw new PatchError(`the operation ${JSON.stringify(op)} has no path`, true);
  }
  switch (op) {
    case 'add':
      add(holder, path, clone(value ?? null));
      return;
    case 'remove':
      remove(holder, path, 'remove');
      return;
    case 'replace':
      read(holder, path, 'replace');
      if (path !== '') remove(holder, path, 'replace', true);
      add(holder, path, clone(value ?? null));
      return;
    case 'move': {
      const from = asString(operation.from);
      const moved = read(holder, from, 'move');
      remove(holder, from, 'move');
      add(holder, path, moved);
      return;
    }
    case 'copy':
      copy(holder, asString(operation.from), path, budget);
      return;
    case 'test': {
      const found = tryRead(holder, path);
      if (!equalJson(found ?? null, value ?? null)) {
        throw new FailedTestError(`testing value ${path} failed: test failed`);
      }
      return;
    }
    default:
      throw new PatchError(`Unexpected kind: ${String(op)}`, true);
  }
}

function copy(holder: Json, from: string, path: string, budget: { bytes: number }): void {
  const text = JSON.stringify(read(holder, from, 'copy'));
  budget.bytes -= text.length;
  if (budget.bytes < 0) {
    throw new PatchError(
      `Unable to complete the copy, the accumulated size increase of copy is over ${MAX_COPIED_BYTES}`,
    );
  }
  add(holder, path, JSON.parse(text));
}

function tokens(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/'))
    throw new PatchError(`invalid path ${JSON.stringify(path)}: it must start with "/"`, true);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function missing(operation: string, path: string): PatchError {
  return new PatchError(`${operation} operation does not apply: doc is missing path: ${path}: missing value`);
}

function tryRead(holder: Json, path: string): unknown {
  let current: unknown = holder.root;
  for (const token of tokens(path)) {
    if (Array.isArray(current)) current = /^\d+$/.test(token) ? current[Number(token)] : undefined;
    else if (isJson(current) && Object.hasOwn(current, token)) current = current[token];
    else return undefined;
  }
  return current;
}

function read(holder: Json, path: string, operation: string): unknown {
  const found = tryRead(holder, path);
  if (found === undefined) {
    throw operation === 'replace'
      ? new PatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`)
      : missing(operation, path);
  }
  return found;
}

/** The container that the last token points into. */
function parentOf(holder: Json, path: string, operation: string): { parent: Json | unknown[]; last: string } {
  const steps = tokens(path);
  const last = steps.pop();
  if (last === undefined) return { parent: holder, last: 'root' };
  const parentPath = path.slice(0, path.lastIndexOf('/'));
  const parent = tryRead(holder, parentPath);
  if (Array.isArray(parent) || isJson(parent)) return { parent, last };
  throw missing(operation, path);
}

function add(holder: Json, path: string, value: unknown): void {
  const { parent, last } = parentOf(holder, path, 'add');
  if (!Array.isArray(parent)) {
    if (last === '__proto__') throw new PatchError('a field must not be named "__proto__"', true);
    parent[last] = value;
    return;
  }
  if (last === '-') {
    parent.push(value);
    return;
  }
  const index = indexOf(last, parent.length, 'add', path);
  parent.splice(index, 0, value);
}

function remove(holder: Json, path: string, operation: string, isReplace = false): void {
  if (path === '') throw new PatchError('a JSON patch cannot remove the whole object');
  const { parent, last } = parentOf(holder, path, operation);
  if (Array.isArray(parent)) {
    const index = indexOf(last, parent.length - 1, operation, path);
    parent.splice(index, 1);
    return;
  }
  if (!Object.hasOwn(parent, last)) {
    throw isReplace
      ? missing(operation, path)
      : new PatchError(
          `remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
        );
  }
  // A replaced field keeps its place among the others.
  if (isReplace) parent[last] = null;
  else delete parent[last];
}

function indexOf(token: string, limit: number, operation: string, path: string): number {
  const index = /^(0|[1-9]\d*)$/.test(token) ? Number(token) : Number.NaN;
  if (Number.isNaN(index) || index > limit) {
    throw new PatchError(
      `${operation} operation does not apply: doc is missing path: ${JSON.stringify(path)}: invalid index referenced`,
    );
  }
  return index;
}
