import type { Json } from '@turnsole/kube/text/json';
import { isObject } from '@turnsole/kube/text/json';
import { type Document, isCollection, isScalar, parseAllDocuments, visit } from 'yaml';
import { ManifestError } from './manifest-error.ts';
import { markTags, type TagMarks } from './tags.ts';

/** A field of an engine that gets another value. */
export interface Edit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** A ChaosEngine as YAML with workflow tags, in an artifact. */
export interface EngineText {
  /** The engine; its tags are text. */
  readonly object: Json;
  /** The text with changed fields; everything else stays, including tags, comments and order. */
  edited(edits: readonly Edit[]): string;
}

/** Longer texts are scripts or data. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Reads the engine in the text of an artifact. Undefined for other texts.
 *
 * @throws ManifestError if it names a ChaosEngine and cannot be read
 */
export function readEngineText(text: string): EngineText | undefined {
  if (text.length > MOST_CHARACTERS || !/\bkind\W+ChaosEngine\b/i.test(text)) return undefined;
  const marks = markTags(text);
  const documents = parseAllDocuments(marks.marked, { merge: true, prettyErrors: false }) as Document[];
  const found = documents.map((document) => ({ document, object: objectOf(document, marks) }));
  const engine = found.find(({ object }) => object?.kind === 'ChaosEngine');
  if (engine?.object === undefined) return undefined;
  const { document, object } = engine;
  if (!isObject(object.metadata)) throw unreadable();
  return {
    object,
    edited: (edits) => {
      if (edits.length === 0) return text;
      for (const edit of edits) apply(document, edit, marks);
      return marks.restore(documents.map(textOf).join(''));
    },
  };
}

function objectOf(document: Document, marks: TagMarks): Json | undefined {
  if (document.errors.length > 0) throw unreadable();
  try {
    const value = marks.restoreValue(document.toJS({ maxAliasCount: 100 }));
    return isObject(value) ? value : undefined;
  } catch {
    // Too many aliases.
    throw unreadable();
  }
}

function unreadable(): ManifestError {
  return new ManifestError('failed to unmarshal chaosengine');
}

/** Does not wrap lines, and keeps the separator of a further document. */
function textOf(document: Document, index: number): string {
  const text = document.toString({ lineWidth: 0 });
  return index > 0 && !text.startsWith('---') && !text.startsWith('%') ? `---\n${text}` : text;
}

function apply(document: Document, { path, value }: Edit, marks: TagMarks): void {
  for (let length = 1; length < path.length; length += 1) {
    const part = path.slice(0, length);
    // `labels:` without a value, or an alias, whose original has to stay as it is.
    if (!isCollection(document.getIn(part, true))) {
      document.setIn(part, document.createNode(valueAt(document, part) ?? {}));
    }
  }
  document.setIn(path, nodeOf(document, value, marks));
}

function valueAt(document: Document, path: readonly (string | number)[]): unknown {
  let value: unknown = document.toJS({ maxAliasCount: 100 });
  for (const key of path) value = (value as Record<string | number, unknown> | null | undefined)?.[key];
  return value;
}

/** Quotes new texts with tags, in which YAML would otherwise see mappings. */
function nodeOf(document: Document, value: unknown, marks: TagMarks): unknown {
  const node = document.createNode(value);
  const quote = (scalar: unknown): void => {
    if (!isScalar(scalar) || typeof scalar.value !== 'string' || !scalar.value.includes('{{')) return;
    scalar.value = marks.mark(scalar.value);
    scalar.type = 'QUOTE_DOUBLE';
  };
  visit(node, { Scalar: (_key, scalar) => quote(scalar) });
  return node;
}
