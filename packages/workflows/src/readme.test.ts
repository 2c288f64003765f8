import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('../', import.meta.url);

for (const name of ['play.ts', 'play.test.ts', 'expressions.test.ts']) {
  test(`the README shows the example ${name} as it is`, () => {
    const example = readFileSync(new URL(`examples/${name}`, FOLDER), 'utf8');
    assert.ok(readFileSync(new URL('README.md', FOLDER), 'utf8').includes(`\`\`\`ts\n${example}\`\`\``));
  });
}
