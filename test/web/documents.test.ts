/** Every question that the page asks is one that the server understands. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, validate } from 'graphql';
import { controlPlaneSchema } from '../../src/controlplane/schema/load.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('web/**/*-query.ts', { cwd: root });
assert.ok(files.length >= 4, 'the documents of the page are found');

for (const file of files) {
  const documents: Record<string, unknown> = await import(join(root, file));
  for (const [name, document] of Object.entries(documents)) {
    if (typeof document !== 'object' || document === null || !('text' in document)) continue;
    test(`the schema of the server accepts ${name} of ${file}`, () => {
      const errors = validate(controlPlaneSchema(), parse(String(document.text)));
      assert.deepEqual(
        errors.map(({ message }) => message),
        [],
      );
    });
  }
}
