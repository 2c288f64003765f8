/** The table of README.md says of every fault which part of the suite has it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { faultRegistry } from '../../src/faults/index.ts';
import { fileOf, LANDING, PARTS } from './parts.ts';

const README = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const ROOT = new URL('../../', import.meta.url);
const [, SECTION = ''] = README.split('## Which part has which fault');
/** Fault and parts of each row. */
const ROWS = [...SECTION.matchAll(/^\| `([^`]+)` \| (`[^|]+`) \| .+ \|$/gm)].map(
  ([, fault = '', parts = '']) => ({
    fault,
    parts: parts.split(', ').map((part) => part.replaceAll('`', '')),
  }),
);

test('each fault that acts on a cluster has a row, in the order in which they are listed', async () => {
  const onClusters: string[] = [];
  for (const [name, load] of faultRegistry) if ((await load()).targets !== 'resources') onClusters.push(name);
  assert.deepEqual(
    ROWS.map(({ fault }) => fault),
    onClusters,
  );
});

test('what has to pass before a change lands are parts', () => {
  assert.deepEqual(
    LANDING.filter((part) => !PARTS.includes(part)),
    [],
  );
});

test('each part that is named is there, and has the fault', () => {
  for (const { fault, parts } of ROWS) {
    for (const part of parts) {
      assert.ok(PARTS.includes(part), `${fault}: no part ${part}`);
      const text = readFileSync(new URL(fileOf(part), ROOT), 'utf8');
      // What an engine of the suite runs unless it says another one.
      const isDefault = fault === 'pod-delete' && text.includes('shop.run(');
      assert.ok(isDefault || text.includes(fault), `${fault}: ${part} does not run it`);
    }
  }
});
