import { type Document, LineCounter, parseAllDocuments, type ScalarTag } from 'yaml';

/** Documents of a text, and where its lines begin. */
interface ParsedText {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/**
 * Reads YAML as Kubernetes' own clients do, where their parser is an older one than ours: `0755` is eight-based, and a text in quotes or
 * a list in brackets may be closed by a line that stands no deeper than its key. Numbers of lines are those of the text.
 */
export function parseLenient(text: string): ParsedText {
  const first = parse(text);
  let repaired = text;
  let parsed = first;
  for (let repairs = 0; repairs < MAX_REPAIRS; repairs += 1) {
    const line = shallowLine(parsed.documents, repaired);
    if (line === undefined) break;
    repaired = repaired.slice(0, line) + DEEPER + repaired.slice(line);
    parsed = parse(repaired);
    if (parsed.documents.every(({ errors }) => errors.length === 0)) return parsed;
  }
  // An error that cannot be repaired is reported for the text as it stands in the file.
  return first;
}

/** Each takes one parse of the text. */
const MAX_REPAIRS = 50;
/** Blanks at the start of a line mean nothing in quotes and brackets. These are more than blocks are indented. */
const DEEPER = ' '.repeat(40);

/** Go's `strconv.ParseInt` with base 0, by which the older parser reads numbers. */
const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

function parse(text: string): ParsedText {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) => [OCTAL, ...tags],
  });
  return { documents: documents as Document.Parsed[], lines };
}

/** Start of the line whose continuation is not indented enough; undefined when the first error is another one. */
function shallowLine(documents: readonly Document.Parsed[], text: string): number | undefined {
  const error = documents.flatMap(({ errors }) => errors)[0];
  if (error === undefined) return undefined;
  const [at] = error.pos;
  // A quote ends, for the parser, before the line that is too shallow.
  if (error.code === 'MISSING_CHAR') return text[at] === '\n' ? at + 1 : undefined;
  return error.code === 'BAD_INDENT' ? text.lastIndexOf('\n', at - 1) + 1 : undefined;
}
