import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManifestError } from './parse-manifest.ts';
import { nameOf, parseManifests } from './parse-manifests.ts';

test('all documents of a text are read, empty ones are none, and a List is its items', async () => {
  const objects = await parseManifests(`---
# Only a comment.
---
apiVersion: v1
kind: ConfigMap
metadata: { name: a, namespace: shop }
---
{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}]}
`);
  assert.deepEqual(objects.map(nameOf), ['ConfigMap shop/a', 'Node n']);
  assert.deepEqual(await parseManifests(''), []);
});

for (const [what, text, message] of [
  ['no YAML', 'a: [', /^the manifest is no valid YAML, line 1: /],
  [
    'no object',
    'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n7',
    /^document 2 of the manifest is no object, but 7$/,
  ],
  ['no kind', 'apiVersion: v1', /^the manifest has no kind$/],
  ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {}', /^the manifest \(Pod\) has no metadata\.name$/],
  [
    'an item of a list without a kind',
    '{"apiVersion":"v1","kind":"List","items":[{}]}',
    /^item 1 of the manifest has no apiVersion$/,
  ],
] as const) {
  test(`a manifest that is refused: ${what}`, async () => {
    await assert.rejects(parseManifests(text), (error) => {
      assert.ok(error instanceof ManifestError);
      assert.match(error.message, message);
      return true;
    });
  });
}
