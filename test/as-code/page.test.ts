import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../../', import.meta.url);

test('docs/chaos-as-code.md shows the examples as they are, all of them', () => {
  const page = readFileSync(new URL('docs/chaos-as-code.md', ROOT), 'utf8');
  const programs = readdirSync(new URL('examples/as-code', ROOT)).filter((name) => /\.[jt]s$/.test(name));
  assert.ok(programs.length > 0);
  for (const name of programs) {
    const text = readFileSync(new URL(`examples/as-code/${name}`, ROOT), 'utf8');
    const language = name.endsWith('.ts') ? 'ts' : 'js';
    assert.ok(page.includes(`\`\`\`${language}\n${text}\`\`\``), name);
  }
});
