/**
 * Objects of the types that patches are made of: `Object{spec: Object.spec{replicas: 3}}`, `JSONPatch{op: "remove", path: "/spec"}`. The language's
 * reader here has no literals of types; they are written as calls of a function. Source: CEL's language definition, Message construction;
 * kubernetes.io, Mutating Admission Policy.
 */
import { CelError } from './environment.ts';
import { MAKE } from './patch-types.ts';

const JSON_PATCH = 'JSONPatch';
const JSON_PATCH_FIELDS = ['op', 'path', 'from', 'value'];
const TYPE = /^(?:Object(?:\.\w+)*|JSONPatch)$/;
/** What is copied as it stands: comments, and texts in their forms. */
const OPAQUE =
  /\/\/[^\n]*|[bB]?[rR]("""|'''|"|').*?\1|[bB]?("""|''')(?:\\.|.)*?\2|[bB]?(["'])(?:\\.|.)*?\3/sy;
const PATH = /[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*/y;
const OPENING = /\s*\{/y;
const FIELD = /(\s*)(\?)?\s*(?:`([^`]+)`|([A-Za-z_]\w*))\s*:/y;

/**
 * The expression with its literals of types as calls. Pure; what is none is left as it is, mistakes included.
 *
 * @throws CelError for a field that JSONPatch does not have
 */
export function withPatchTypes(expression: string): string {
  let result = '';
  let at = 0;
  /** Brackets that are open, from the outermost: the type of a literal, or nothing. */
  const open: (string | undefined)[] = [];
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(expression);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const readField = (type: string): void => {
    const found = read(FIELD);
    if (found === null) return;
    const [, space = '', mark = '', quoted, plain = ''] = found;
    const name = quoted ?? plain;
    if (type === JSON_PATCH && !JSON_PATCH_FIELDS.includes(name))
      throw new CelError(`compilation failed: ERROR: undefined field '${name}'`);
    result += `${space}${JSON.stringify(`${mark}${name}`)}, `;
  };
  while (at < expression.length) {
    const opaque = read(OPAQUE);
    if (opaque !== null) {
      result += opaque[0];
      continue;
    }
    const path = /[\w.]$/.test(result) ? null : read(PATH);
    if (path !== null) {
      const type = path[0].replaceAll(/\s/g, '');
      if (TYPE.test(type) && read(OPENING) !== null) {
        open.push(type);
        result += `${MAKE}(${JSON.stringify(type)}, [`;
        readField(type);
      } else result += path[0];
      continue;
    }
    const character = expression[at] ?? '';
    at += 1;
    if ('([{'.includes(character)) open.push(undefined);
    const closed = ')]}'.includes(character) ? open.pop() : undefined;
    result += closed === undefined ? character : '])';
    const type = open.at(-1);
    if (character === ',' && type !== undefined) readField(type);
  }
  return result;
}
