import { type Document, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { markTags, type TagMarks } from '../../../src/controlplane/experiment/manifest/tags.ts';

/** A problem of a text, and its line. */
export interface YamlProblem {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A parsed text. */
interface ReadYaml {
  /** Its value, with workflow tags as texts, in which YAML would otherwise see mappings. Undefined if unreadable. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Literal blocks, with the line before each. */
  readonly literals: readonly { readonly line: number; readonly text: string }[];
}

/** Cache of parsed texts: while a manifest is edited, most of its texts stay the same. */
const KNOWN = new Map<string, ReadYaml>();
const MOST_KNOWN = 100;

/** Parses a text. The result is shared and must not be modified. */
export function readYaml(text: string): ReadYaml {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const read = readAnew(text);
  if (KNOWN.size >= MOST_KNOWN) KNOWN.delete(KNOWN.keys().next().value ?? '');
  KNOWN.set(text, read);
  return read;
}

function readAnew(text: string): ReadYaml {
  const lines = new LineCounter();
  const marks = markTags(text);
  const document = parseDocument(marks.marked, { lineCounter: lines, merge: true });
  if (document.errors.length > 0) {
    return { value: undefined, problems: firstOfLines(document.errors.map(problemOf)), literals: [] };
  }
  const literals: { line: number; text: string }[] = [];
  visit(document, {
    Scalar: (_key, scalar) => {
      if (!isScalar(scalar) || scalar.type !== 'BLOCK_LITERAL') return;
      // The content of a literal begins in the line after its indicator.
      const { line } = lines.linePos(scalar.range?.[0] ?? 0);
      literals.push({ line, text: marks.restore(String(scalar.value)) });
    },
  });
  const value = valueIn(document, document, marks);
  const problems =
    value === undefined ? [{ line: 1, text: 'an alias has no anchor, or there are too many' }] : [];
  return { value, problems, literals };
}

/** The value of a node; undefined if an alias has no anchor, or there are too many. */
export function valueIn(node: Node | Document, document: Document, marks: TagMarks): unknown {
  try {
    const value: unknown =
      node === document ? document.toJS({ maxAliasCount: 100 }) : (node as Node).toJS(document);
    return marks.restoreValue(value);
  } catch {
    return undefined;
  }
}

function problemOf({
  message,
  linePos,
}: {
  readonly message: string;
  readonly linePos?: readonly { readonly line: number }[] | undefined;
}): YamlProblem {
  // The message ends with the position and a code frame.
  const [first = message] = message.split(/ at line \d+|\n/);
  return { line: linePos?.[0]?.line ?? 1, text: first };
}

/** Keeps the first problem of each line, since others in the line are its consequences. */
function firstOfLines(problems: readonly YamlProblem[]): YamlProblem[] {
  return problems.filter(({ line }, place) => problems.findIndex((one) => one.line === line) === place);
}
