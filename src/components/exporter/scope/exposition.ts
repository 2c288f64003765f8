/** The text format of Prometheus, as far as it is needed here. Pure. */

/** Pieces of a page have about this many characters: few enough to be sent one by one, so that a page is never held whole. */
const PIECE = 64 * 1024;

/** `name="value",…`, with the values escaped. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

/** Backslash, quote and line break have a meaning of their own; half of a surrogate pair is no text at all. */
function escaped(value: string): string {
  return value.toWellFormed().replaceAll(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}

/** The two lines above the samples of a metric. */
export function headOf(name: string, help: string, type: 'gauge' | 'counter' = 'gauge'): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** Gives texts in pieces that are worth sending. */
export function* inPieces(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
