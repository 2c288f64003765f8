import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronOf, workflowOf } from '../testing/manifests.ts';
import { cronSyntaxOf, readManifest } from './read-manifest.ts';

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'shop' } };

const deep = (levels: number): string =>
  `{"kind":"Workflow","metadata":{"name":"shop"},"spec":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const REFUSED: readonly [name: string, text: string, message: string][] = [
  ['text that is neither', 'a: b: c', 'failed to unmarshal workflow manifest1'],
  ['a list', '[]', 'failed to unmarshal workflow manifest1'],
  ['two documents', 'kind: Workflow\n---\nkind: Workflow', 'failed to unmarshal workflow manifest1'],
  ['aliases without end', bomb(), 'failed to unmarshal workflow manifest1'],
  [
    'another kind',
    '{"kind":"Deployment","metadata":{"name":"shop"}}',
    'not a valid object, only workflows/cron workflows/chaos engines supported',
  ],
  [
    'no kind',
    '{"metadata":{"name":"shop"}}',
    'not a valid object, only workflows/cron workflows/chaos engines supported',
  ],
  ['another name', '{"kind":"Workflow","metadata":{"name":"web"}}', "Workflow name doesn't match"],
  ['no name', '{"kind":"ChaosEngine"}', "ChaosEngine name doesn't match"],
  [
    'a cron without schedule',
    '{"kind":"CronWorkflow","metadata":{"name":"shop"}}',
    'failed to process cron workflow, cron syntax not provided in manifest',
  ],
  ['what is too deep', deep(200), 'cannot take the manifest of shop: it is nested deeper than 200 levels'],
  [
    'what no stack holds',
    deep(100_000),
    'cannot take the manifest of shop: it is nested deeper than 200 levels',
  ],
  [
    'NUL in a text',
    String.raw`{"kind":"Workflow","metadata":{"name":"shop"},"spec":{"entrypoint":"\u0000"}}`,
    'cannot take the manifest of shop: a text of it holds the character NUL',
  ],
];

test('takes what is as deep as it may be', () => {
  assert.equal(readManifest(deep(199), 'shop').name, 'shop');
});

for (const [name, text, message] of REFUSED) {
  test(`refuses ${name}`, () => {
    assert.throws(() => readManifest(text, 'shop'), { name: 'ManifestError', message });
  });
}

/** Ten lists of ten lists of …: small as text, large as a value. */
function bomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
  for (let index = 1; index < 9; index += 1) {
    lines.push(`a${index}: &a${index} [${Array.from({ length: 10 }, () => `*a${index - 1}`).join(',')}]`);
  }
  return `kind: Workflow\nmetadata: {name: shop}\n${lines.join('\n')}\n`;
}

test('reads JSON and YAML, with a kind in any case', () => {
  const expected = { kind: 'Workflow', name: 'shop', object: WORKFLOW };
  assert.deepEqual(readManifest(JSON.stringify(WORKFLOW), 'shop'), expected);
  const yaml = 'apiVersion: argoproj.io/v1alpha1\nkind: workflow\nmetadata:\n  name: shop\n---\n';
  assert.deepEqual(readManifest(yaml, 'shop'), expected);
});

test('tells when a CronWorkflow starts, by one schedule or several', () => {
  const cron = cronOf(workflowOf());
  assert.equal(cronSyntaxOf(cron), '0 * * * *');
  const several = { ...cron, object: { ...cron.object, spec: { schedules: ['0 1 * * *', '0 2 * * *'] } } };
  assert.equal(cronSyntaxOf(several), '0 1 * * *, 0 2 * * *');
  assert.equal(cronSyntaxOf(workflowOf()), '');
});
