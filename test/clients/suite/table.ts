import type { CheckOutcome } from './client.ts';

/** What the table says of one client. */
export interface Row {
  readonly client: string;
  readonly version: string;
  readonly covers: string;
  readonly outcomes: readonly CheckOutcome[];
}

/** Lines of docs/compatibility.md between which the table is. */
export const BEGIN = '<!-- clients: made by npm run test:clients -- --write -->';
export const END = '<!-- clients: end -->';

const HEAD = [
  '| client | version | what was run | as expected | what differs, and why |',
  '| --- | --- | --- | --- | --- |',
];

/** The line of one client. Nothing of it changes from run to run but what the client showed. */
export function lineOf({ client, version, covers, outcomes }: Row): string {
  const expected = outcomes.filter(({ outcome }) => outcome === 'expected').length;
  const others = outcomes.filter(({ outcome }) => outcome !== 'expected').map(told);
  const cells = [client, version, covers, `${expected} of ${outcomes.length}`, others.join('; ')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** What went wrong is said in the run's output; here only that it did, so that the table stays the same from run to run. */
function told({ name, outcome, detail = '' }: CheckOutcome): string {
  return outcome === 'wrong' ? `${name} fails` : `${name}: ${detail}`;
}

/**
 * The document with these rows in its table. Clients that were not run keep the lines they have, and the lines are in the order of `names`.
 * @throws Error when the document has no place for a table
 */
export function withRows(document: string, rows: readonly Row[], names: readonly string[]): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the document lacks the lines ${BEGIN} and ${END}`);
  const known = linesByClient(document.slice(begin + BEGIN.length, end));
  for (const row of rows) known.set(row.client, lineOf(row));
  const lines = names.flatMap((name) => known.get(name) ?? []);
  const table = [BEGIN, '', ...HEAD, ...lines, '', ''].join('\n');
  return document.slice(0, begin) + table + document.slice(end);
}

function linesByClient(table: string): Map<string, string> {
  const lines = table.split('\n').filter((line) => line.startsWith('| ') && !HEAD.includes(line));
  return new Map(lines.map((line) => [line.slice(2, line.indexOf(' | ')), line]));
}
