/** What the page asks, as the generator writes it: modules whose types are those of the texts. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pageDocuments } from '../../build/page-documents.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Makes modules of documents, by path. */
async function modulesOf(documents: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  await using folder = await temporaryFolder();
  for (const [path, text] of Object.entries(documents)) {
    await mkdir(join(folder.path, dirname(path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  return new Map((await pageDocuments(folder.path)).map(({ path, content }) => [path, content]));
}

test('the modules of the page are those of its documents as they are now', async () => {
  const modules = await pageDocuments(ROOT);
  assert.ok(modules.length >= 20, 'the documents of the page are found');
  for (const { path, content } of modules)
    assert.equal(await readFile(join(ROOT, path), 'utf8'), content, path);
  const there = globSync('web/views/**/generated/*.ts', { cwd: ROOT });
  assert.deepEqual(there.toSorted(), modules.map(({ path }) => path).toSorted());
});

test('an operation is sent with the fragments that it needs, also those of other files, and with no other', async () => {
  const modules = await modulesOf({
    'web/views/a/hubs.graphql': `
      "One hub."
      query OneHub($p: ID!, $id: ID!) { getChaosHub(projectID: $p, chaosHubID: $id) { ...Named } }
      query Hubs($p: ID!) { listChaosHub(projectID: $p) { isDefault } }
      "A name."
      fragment Named on ChaosHubStatus { id name }`,
    'web/views/b/names.graphql': 'query Names($p: ID!) { listChaosHub(projectID: $p) { ...Named } }',
  });
  const hubs = modules.get('web/views/a/generated/hubs.ts') ?? '';
  const named = 'fragment Named on ChaosHubStatus{id name}';
  assert.match(
    hubs,
    /\/\*\* A name. \*\/\nexport type Named = \{ readonly id: string, readonly name: string \};/,
  );
  assert.match(
    hubs,
    /\/\*\* One hub. \*\/\nexport const ONE_HUB: Document<OneHubQuery, OneHubQueryVariables>/,
  );
  assert.ok(hubs.includes(`{getChaosHub(projectID:$p chaosHubID:$id){...Named}}${named}\``));
  assert.ok(hubs.includes('{listChaosHub(projectID:$p){isDefault}}`'));
  const names = modules.get('web/views/b/generated/names.ts') ?? '';
  assert.ok(names.includes(`{listChaosHub(projectID:$p){...Named}}${named}\``));
  assert.doesNotMatch(names, /export type Named/);
});

const REFUSED: readonly (readonly [what: string, text: string, words: RegExp])[] = [
  [
    'a field that the schema does not have',
    'query Hubs($p: ID!) { listChaosHub(projectID: $p) { colour } }',
    /hubs\.graphql: Cannot query field "colour" on type "ChaosHubStatus"/,
  ],
  [
    'a variable of another type',
    'query Hubs($p: Int!) { listChaosHub(projectID: $p) { id } }',
    /hubs\.graphql: Variable "\$p" of type "Int!" used in position expecting type "ID!"/,
  ],
  [
    'a fragment that nothing needs',
    'query Hubs($p: ID!) { listChaosHub(projectID: $p) { id } } fragment Named on ChaosHubStatus { name }',
    /hubs\.graphql: Fragment "Named" is never used/,
  ],
];
for (const [what, text, words] of REFUSED) {
  test(`${what} is refused, with the name of the file`, async () => {
    await assert.rejects(modulesOf({ 'web/views/hubs.graphql': text }), words);
  });
}
