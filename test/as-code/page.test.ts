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

/** Names of the fields of an interface in a text of TypeScript. */
function fieldsOf(text: string, name: string): string[] {
  const [, body = ''] = new RegExp(`interface ${name} [^{]*\\{\\n(.*?)\\n\\}`, 's').exec(text) ?? [];
  return [...body.matchAll(/^ {2,4}readonly (\w+)\??:/gm)].map(([, field = '']) => field);
}

test('docs/chaos-as-code.md names every option of runs, experiments and probes', () => {
  const page = readFileSync(new URL('docs/chaos-as-code.md', ROOT), 'utf8');
  const rows: readonly (readonly [file: string, type: string, least: number])[] = [
    ['run-options.ts', 'PlanOptions', 6],
    ['run-options.ts', 'RunOptions', 2],
    ['types.ts', 'ExperimentOptions', 14],
    ['types.ts', 'ProbeOptions', 9],
    ['generated/probes.ts', 'LoadProbeOptions', 10],
  ];
  for (const [file, type, least] of rows) {
    const fields = fieldsOf(readFileSync(new URL(`src/runs/as-code/${file}`, ROOT), 'utf8'), type);
    assert.ok(fields.length >= least, `${type}: ${fields.join()}`);
    // The name and the faults stand in the example.
    const missing = fields.filter(
      (field) =>
        !page.includes(`\`${field}\``) &&
        !['name', 'faults', 'caFile', 'certFile', 'keyFile'].includes(field),
    );
    assert.deepEqual(missing, [], type);
  }
});
