/** Colours: readable in both themes, and named in one file only. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const WEB = join(import.meta.dirname, '..');
const TOKENS = readFileSync(join(WEB, 'styles/tokens.css'), 'utf8');

/** Light and dark of a token. */
const PAIRS = new Map(
  [...TOKENS.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark]] as const,
  ),
);

/** Relative luminance of `#rrggbb`. Source: WCAG 2.2, definition of relative luminance. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, from 1 to 21. Source: WCAG 2.2, definition of contrast ratio. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('contrast is computed as the standard does', () => {
  assert.equal(contrast('#000000', '#ffffff').toFixed(1), '21.0');
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

/** Words of 4.5, shapes of 3. Source: WCAG 2.2, criteria 1.4.3 and 1.4.11. */
const READ_ON: readonly [tokens: string[], grounds: string[], least: number][] = [
  [
    [
      ...['text', 'text-quiet', 'link', 'in-force'],
      ...['verdict-pass', 'verdict-fail', 'verdict-error', 'verdict-stopped'],
    ],
    ['paper', 'raised'],
    4.5,
  ],
  [['text'], ['in-force-soft'], 4.5],
  [['on-in-force'], ['in-force'], 4.5],
  [['focus', 'mark-life', 'mark-step', 'mark-recovered', 'mark-ineffective'], ['paper'], 3],
];
for (const [tokens, grounds, least] of READ_ON) {
  for (const token of tokens) {
    for (const ground of grounds) {
      for (const [index, theme] of ['light', 'dark'].entries()) {
        test(`${token} on ${ground}, ${theme}`, () => {
          const found = contrast(PAIRS.get(token)?.[index] ?? '', PAIRS.get(ground)?.[index] ?? '');
          assert.ok(found >= least, `contrast is ${found.toFixed(2)}, at least ${least} is needed`);
        });
      }
    }
  }
}

test('every pair that words or marks use is checked', () => {
  const checked = new Set(READ_ON.flatMap(([tokens, grounds]) => [...tokens, ...grounds]));
  const unchecked = [...PAIRS.keys()].filter(
    (name) => !checked.has(name) && !['line', 'shade'].includes(name),
  );
  assert.deepEqual(unchecked, []);
});

const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab)\(/i;

test('no colour stands outside of the tokens', () => {
  const files = globSync('**/*.{css,ts,tsx,html}', { cwd: WEB }).filter((file) => !/tokens\./.test(file));
  const found = files.flatMap((file) =>
    readFileSync(join(WEB, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (COLOUR.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('every token that is used is there', () => {
  const there = new Set([...TOKENS.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  const files = globSync('**/*.{css,ts,tsx}', { cwd: WEB });
  const missing = files.flatMap((file) =>
    [...readFileSync(join(WEB, file), 'utf8').matchAll(/var\(--([\w-]+)\)/g)]
      .map(([, name]) => name)
      .filter((name) => !there.has(name) && !name?.startsWith('own-'))
      .map((name) => `${file}: --${name}`),
  );
  assert.deepEqual(missing, []);
});
