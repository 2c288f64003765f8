import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { REFERENCE } from './generate.ts';
import { referencePages } from './reference-pages.ts';

test('docs/reference is what the schemas say; run npm run generate', async () => {
  const pages = referencePages();
  assert.deepEqual((await readdir(REFERENCE)).toSorted(), pages.map(([name]) => name).toSorted());
  for (const [name, text] of pages)
    assert.equal(await readFile(new URL(name, REFERENCE), 'utf8'), text, name);
});

test('each page shows what it is about: fields with types, and examples', () => {
  const pages = new Map(referencePages());
  assert.match(pages.get('probes.md') ?? '', /\| `method\.get\.responseCode` \| text \|/);
  assert.match(pages.get('probes.md') ?? '', /## tolerance\n/);
  assert.match(pages.get('chaosengine.md') ?? '', /\| `spec\.experiments\.name` \| text, required \|/);
  assert.match(pages.get('chaosengine.md') ?? '', /```yaml\napiVersion: litmuschaos/);
});
