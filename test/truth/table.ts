/** The table at the end of the truth suite. Pure. */
import type { Outcome } from './run-row.ts';

const REASON_WIDTH = 100;

/** One line per run, wrong ones last and in full. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ row, verdict, judgement, reason, numbers, seconds }) => [
    judgement === 'right' ? '' : judgement.toUpperCase(),
    row.name,
    row.truth.verdict,
    verdict,
    shortened(reason),
    numbers.map(({ what, found, expected }) => `${what} ${rounded(found)} (${expected})`).join(', '),
    `${seconds.toFixed(1)} s`,
  ]);
  const head = ['', 'row', 'truth', 'verdict', 'reason', 'numbers', 'took'];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const lines = [head, ...rows].map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

/** What is wrong with a run, in full. */
export function problemsOf({ row, verdict, reason, problems }: Outcome): string {
  return [`${row.name}: ${verdict}`, ...problems, `reason: ${reason}`].join('\n    ');
}

/** How many came out how. */
export function countsOf(outcomes: readonly Outcome[]): string {
  const count = (isMeant: (outcome: Outcome) => boolean): number => outcomes.filter(isMeant).length;
  const pairs = new Set(
    outcomes.filter(({ row }) => row.twin !== undefined).map(({ row }) => pairOf(row.name)),
  );
  return [
    `${outcomes.length} runs, ${pairs.size} pairs`,
    `${count(({ judgement }) => judgement === 'right')} right`,
    `${count(({ judgement }) => judgement === 'busy')} Errors of a busy machine`,
    `${count(({ judgement }) => judgement === 'wrong')} wrong`,
  ].join(', ');
}

/** Name of the pair that a row is of: all but its last word. */
export function pairOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > REASON_WIDTH ? `${line.slice(0, REASON_WIDTH - 1)}…` : line;
}

function rounded(value: number | undefined): string {
  return value === undefined ? 'unknown' : String(Math.round(100 * value) / 100);
}
