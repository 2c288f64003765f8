import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';

const ROOT = new URL('../../../', import.meta.url);

let check: ValidateFunction;
before(async () => {
  const text = await readFile(new URL('deploy/schemas/turnsole.json', ROOT), 'utf8');
  check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(JSON.parse(text));
});

async function manifests(folder: string): Promise<readonly string[]> {
  const names = await readdir(new URL(folder, ROOT), { recursive: true });
  return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${folder}${name}`);
}

test('manifests of the examples and charts of the hub are as the schema says', async () => {
  let checked = 0;
  for (const file of [...(await manifests('examples/')), ...(await manifests('deploy/hub/'))]) {
    const text = await readFile(new URL(file, ROOT), 'utf8');
    for (const document of parseAllDocuments(text)) {
      assert.ok(check(document.toJS()), `${file}: ${JSON.stringify(check.errors)}`);
      checked += 1;
    }
  }
  assert.ok(checked > 50, String(checked));
});

const engine = (experiment: object): object => ({
  apiVersion: 'litmuschaos.io/v1alpha1',
  kind: 'ChaosEngine',
  metadata: { name: 'e' },
  spec: { experiments: [experiment] },
});
const probe = { name: 'users', type: 'httpProbe', mode: 'Continuous' };

const REFUSED: readonly (readonly [what: string, manifest: object, where: string])[] = [
  ['a misspelt field', engine({ name: 'pod-delete', spec: { prob: [] } }), '/spec/experiments/0/spec'],
  [
    'an unknown type of probe',
    engine({ name: 'pod-delete', spec: { probe: [{ ...probe, type: 'httProbe' }] } }),
    '/spec/experiments/0/spec/probe/0/type',
  ],
  [
    'an unknown mode',
    engine({ name: 'pod-delete', spec: { probe: [{ ...probe, mode: 'Always' }] } }),
    '/spec/experiments/0/spec/probe/0/mode',
  ],
  [
    'a text for a number',
    { ...engine({ name: 'pod-delete' }), spec: { experiments: [], minimumCoverage: 'much' } },
    '/spec/minimumCoverage',
  ],
];

for (const [what, manifest, where] of REFUSED) {
  test(`an editor marks ${what}`, () => {
    assert.equal(check(manifest), false);
    const paths = (check.errors ?? []).map(({ instancePath }) => instancePath);
    assert.ok(paths.includes(where), paths.join(', '));
  });
}

test('objects of other kinds are let be', () => {
  assert.equal(check({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } }), true);
});
