import { RUN_STATES, type RunState, type StateTone } from './outcome/run-states.ts';

/** Text is legible on each, white on it. */
const COLOURS: Readonly<Record<StateTone, string>> = {
  good: '#1a7f37',
  bad: '#b0202b',
  warning: '#7a5b00',
  active: '#b23c0a',
  quiet: '#555d6a',
};
/** Of a letter of this size, in pixels: an estimate, which `textLength` makes exact. */
const LETTER = 6.6;
const ROOM = 6;

/** A badge for the README of a project: `chaos | Passed`, in words as well as in colour, as an SVG of its own. Pure. */
export function badgeOf(state: RunState): string {
  const { label, tone } = RUN_STATES[state];
  const [left, right] = ['chaos', label].map((text) => Math.round(text.length * LETTER) + 2 * ROOM);
  const [first = 0, second = 0] = [left, right];
  const width = first + second;
  const text = (words: string, from: number, of: number): string =>
    `<text x="${from + ROOM}" y="14" textLength="${of - 2 * ROOM}">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="chaos: ${label}">`,
    `<title>chaos: ${label}</title>`,
    `<rect width="${width}" height="20" rx="3" fill="#3b424d"/>`,
    `<path d="M${first} 0h${second - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${second - 3}z" fill="${COLOURS[tone]}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text('chaos', 0, first),
    text(label, first, second),
    '</g></svg>',
    '',
  ].join('\n');
}
