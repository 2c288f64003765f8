import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformFit, platformText, thisPlatform } from './platform.ts';

const platform = (text: string): { os: string; architecture: string; variant?: string } => {
  const [os = '', architecture = '', variant] = text.split('/');
  return { os, architecture, ...(variant !== undefined && { variant }) };
};

/** What is offered, the best first; those that do not run are left out of `order`. */
const CHOICES: readonly (readonly [wanted: string, offered: readonly string[], order: readonly string[]])[] =
  [
    ['linux/amd64', ['linux/arm64', 'linux/amd64', 'windows/amd64'], ['linux/amd64']],
    ['linux/amd64', ['linux/amd64/v3', 'linux/amd64'], ['linux/amd64']],
    [
      'linux/amd64/v3',
      ['linux/amd64', 'linux/amd64/v2', 'linux/amd64/v4'],
      ['linux/amd64/v2', 'linux/amd64'],
    ],
    ['linux/arm64', ['linux/arm64/v8', 'linux/arm/v7'], ['linux/arm64/v8']],
    [
      'linux/arm',
      ['linux/arm/v5', 'linux/arm/v7', 'linux/arm/v6'],
      ['linux/arm/v7', 'linux/arm/v6', 'linux/arm/v5'],
    ],
    ['linux/arm/v6', ['linux/arm/v7', 'linux/arm/v5'], ['linux/arm/v5']],
    ['linux/s390x', ['linux/amd64'], []],
  ];

for (const [wanted, offered, order] of CHOICES) {
  test(`${wanted} of ${offered.join(', ')}`, () => {
    const fits = offered.map((text) => ({ text, fit: platformFit(platform(wanted), platform(text)) }));
    const found = fits.filter(({ fit }) => fit > 0).toSorted((a, b) => b.fit - a.fit);
    assert.deepEqual(
      found.map(({ text }) => text),
      order,
    );
  });
}

test('processors have the names of Go', () => {
  const names = ['x64', 'arm64', 'ia32', 'riscv64'].map((name) => platformText(thisPlatform(name)));
  assert.deepEqual(names, ['linux/amd64', 'linux/arm64', 'linux/386', 'linux/riscv64']);
});
