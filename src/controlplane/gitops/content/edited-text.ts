import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@turnsole/kube/text/json';
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  Scalar,
  stringify,
  type ToStringOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** A manifest as a new document has it. Pure. */
export function newText(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * The text of a YAML document with another value: order, comments, quotes and lines of what stays the same are kept. A text that
 * cannot be edited so, as its aliases share what has to differ, is written anew. Pure.
 */
export function editedText(before: string, value: unknown): string {
  const texts = [before, ...editions(before, value)];
  return texts.find((text) => isDeepStrictEqual(valueOf(readOne(text)), value)) ?? newText(value);
}

/** What may be the edited text: with the lines of the first one as they are, and as the document is printed. */
function editions(before: string, value: unknown): string[] {
  const [document, unchanged] = [readOne(before), readOne(before)];
  if (document === undefined || unchanged === undefined) return [];
  try {
    document.contents = merged(document, document.contents, value) as Document['contents'];
    const style = styleOf(before, unchanged);
    const whole = document.toString(style);
    return [withLinesOf(before, unchanged.toString(style), whole), whole];
  } catch {
    // An alias is left of what is gone, or they have no end.
    return [];
  }
}

function readOne(text: string): Document | undefined {
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
  const [document, second] = Array.isArray(documents) ? documents : [];
  return document === undefined || second !== undefined || document.errors.length > 0 ? undefined : document;
}

function valueOf(document: Document | undefined): unknown {
  try {
    return document?.toJS({ maxAliasCount: 100 });
  } catch {
    // Aliases without end.
    return undefined;
  }
}

/** The node with another value: itself, changed where it differs, or a new one. */
function merged(document: Document, node: unknown, value: unknown): unknown {
  if (isMap(node) && isObject(value)) return mergedMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return mergedSeq(document, node, value);
  if (isScalar(node) && (typeof value !== 'object' || value === null)) return mergedScalar(node, value);
  if (isDeepStrictEqual(plain(document, node), value)) return node;
  const fresh = document.createNode(value, { aliasDuplicateObjects: false });
  if (isCollection(node) && isCollection(fresh)) fresh.flow = node.flow === true;
  return fresh;
}

function mergedMap(document: Document, map: YAMLMap, value: Readonly<Record<string, unknown>>): YAMLMap {
  const keyOf = (key: unknown): string => String(isScalar(key) ? key.value : key);
  map.items = map.items.filter(({ key }) => Object.hasOwn(value, keyOf(key)));
  const present = new Set(map.items.map(({ key }) => keyOf(key)));
  for (const pair of map.items) pair.value = merged(document, pair.value, value[keyOf(pair.key)]);
  for (const [key, of] of Object.entries(value)) {
    if (!present.has(key)) map.items.push(document.createPair(key, of, { aliasDuplicateObjects: false }));
  }
  return map;
}

/** Items are known by their names, where all have one of their own, or else by their places. */
function mergedSeq(document: Document, seq: YAMLSeq, value: readonly unknown[]): YAMLSeq {
  const before = [...seq.items];
  const old = before.map((item) => plain(document, item));
  const byName = namesOf(old);
  const names = namesOf(value);
  seq.items = value.map((one, index) => {
    const name = names?.[index];
    const at = byName === undefined || name === undefined ? index : byName.indexOf(name);
    return merged(document, before[at], one);
  });
  return seq;
}

function namesOf(items: readonly unknown[]): readonly string[] | undefined {
  const names = items.map((item) =>
    isObject(item) && typeof item.name === 'string' ? item.name : undefined,
  );
  const known = names.filter((name) => name !== undefined);
  return known.length === items.length && new Set(known).size === known.length ? known : undefined;
}

function mergedScalar(node: Scalar, value: unknown): Scalar {
  if (isDeepStrictEqual(node.value, value)) return node;
  const fresh = new Scalar(value);
  fresh.comment = node.comment;
  fresh.commentBefore = node.commentBefore;
  fresh.spaceBefore = node.spaceBefore;
  // Quotes of a text stay, as do blocks; a number in place of a text has none.
  if (typeof value === 'string' && typeof node.value === 'string') fresh.type = node.type;
  return fresh;
}

function plain(document: Document, node: unknown): unknown {
  const toJS = (node as Partial<Node> | null | undefined)?.toJS;
  return toJS === undefined ? node : toJS.call(node, document, { maxAliasCount: 100 });
}

/** How a text is indented. */
function styleOf(text: string, document: Document): ToStringOptions {
  const columnOf = (offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);
  let indentSeq: boolean | undefined;
  let indent: number | undefined;
  visit(document, {
    Pair: (_key, { key, value }) => {
      const [from, to] = [(key as Node | null)?.range?.[0], (value as Node | null)?.range?.[0]];
      if (from === undefined || to === undefined || !isCollection(value) || value.flow === true) return;
      const step = columnOf(to) - columnOf(from);
      if (isSeq(value)) indentSeq ??= step > 0;
      else if (step > 0) indent ??= step;
    },
  });
  return { lineWidth: 0, indent: indent ?? 2, indentSeq: indentSeq ?? true };
}

/** Larger differences are not looked into line by line. */
const MOST_CELLS = 4_000_000;

/**
 * The edited text with the lines of the first one wherever the edit has changed nothing.
 *
 * @param normal the first text as it is printed without an edit: the same lines, in other words at most
 */
function withLinesOf(before: string, normal: string, edited: string): string {
  const [lines, base, after] = [before, normal, edited].map((text) => text.trimEnd().split('\n')) as [
    string[],
    string[],
    string[],
  ];
  if (lines.length !== base.length) return edited;
  const kept = commonLines(base, after);
  return `${after.map((line, index) => lines[kept.get(index) ?? -1] ?? line).join('\n')}\n`;
}

/** Lines of the second list that are lines of the first one: the longest common subsequence, place by place. Pure. */
function commonLines(one: readonly string[], two: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  let begin = 0;
  while (begin < one.length && begin < two.length && one[begin] === two[begin]) found.set(begin, begin++);
  let [end, last] = [one.length, two.length];
  while (end > begin && last > begin && one[end - 1] === two[last - 1]) found.set(--last, --end);
  const [rows, columns] = [end - begin, last - begin];
  if (rows * columns === 0 || rows * columns > MOST_CELLS) return found;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] =
        one[begin + row] === two[begin + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (one[begin + row] === two[begin + column]) found.set(begin + column++, begin + row++);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}
