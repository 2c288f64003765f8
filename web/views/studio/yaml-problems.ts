import { LineCounter, parseDocument, visit } from 'yaml';
import { markTags } from '../../../src/controlplane/experiment/manifest/tags.ts';

/** Why a text is no manifest, and where. */
export interface YamlProblem {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** What is wrong with a manifest and with the engines and faults that stand in it as texts; nothing when all can be read. */
export function yamlProblems(text: string): YamlProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true });
  if (document.errors.length > 0) return firstOfLines(document.errors.map((error) => problemOf(error, 0)));
  if (typeof document.toJS({ maxAliasCount: 100 }) !== 'object' || document.contents === null) {
    return [{ line: 1, text: 'this is no object' }];
  }
  const found: YamlProblem[] = [];
  visit(document, {
    Scalar: (_key, scalar) => {
      const isText = scalar.type === 'BLOCK_LITERAL' && typeof scalar.value === 'string';
      if (!isText || !/^kind\W+Chaos/m.test(String(scalar.value))) return;
      const { errors } = parseDocument(markTags(String(scalar.value)).marked, { merge: true });
      // What a literal holds begins in the line after its sign.
      const first = lines.linePos(scalar.range?.[0] ?? 0).line;
      found.push(...errors.map((error) => problemOf(error, first)));
    },
  });
  return firstOfLines(found);
}

/** What follows in the same line follows from the first. */
function firstOfLines(problems: readonly YamlProblem[]): YamlProblem[] {
  return problems.filter(({ line }, place) => problems.findIndex((one) => one.line === line) === place);
}

function problemOf(
  {
    message,
    linePos,
  }: { readonly message: string; readonly linePos?: readonly { readonly line: number }[] | undefined },
  before: number,
): YamlProblem {
  // The message ends with the place and a picture of it.
  const [first = message] = message.split(/ at line \d+|\n/);
  return { line: before + (linePos?.[0]?.line ?? 1), text: first };
}
