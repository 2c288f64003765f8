import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { engineYaml } from '../testing/manifests.ts';
import { readEngineText } from './engine-text.ts';

test('an edited engine keeps its tags, comments and order, and gets new tags in quotes', () => {
  const text = engineYaml();
  const edited = readEngineText(text)?.edited([
    { path: ['metadata', 'labels', 'step_pod_name'], value: '{{pod.name}}' },
  ]);
  assert.equal(
    edited,
    text.replace(
      '    context: shop # who asks\n',
      '    context: shop # who asks\n    step_pod_name: "{{pod.name}}"\n',
    ),
  );
});

test('without an edit the text is the same, byte by byte', () => {
  const text = `\n\n${engineYaml().replace('active', '   active')}`;
  assert.equal(readEngineText(text)?.edited([]), text);
});

test('tags are text in what is read', () => {
  const object = readEngineText(engineYaml())?.object as { metadata: { namespace: string } };
  assert.equal(object.metadata.namespace, '{{workflow.parameters.adminModeNamespace}}');
});

const SHAPES: readonly [name: string, text: string][] = [
  ['JSON', '{"kind":"ChaosEngine","metadata":{"name":"{{x}}"}}'],
  ['labels that hold nothing', 'kind: ChaosEngine\nmetadata:\n  name: "{{x}}"\n  labels:\n'],
  ['no labels', 'kind: ChaosEngine\nmetadata: {name: "{{x}}"}\n'],
  ['labels by an alias', 'a: &a {b: c}\nkind: ChaosEngine\nmetadata:\n  name: "{{x}}"\n  labels: *a\n'],
  ['a further document', 'kind: Secret\n---\nkind: ChaosEngine\nmetadata:\n  name: "{{x}}"\n'],
  ['its words in the text', '# tag0z tagx1z\nkind: ChaosEngine\nmetadata:\n  name: "{{x}}"\n'],
];

for (const [name, text] of SHAPES) {
  test(`sets a label in an engine with ${name}`, () => {
    const edited = readEngineText(text)?.edited([
      { path: ['metadata', 'labels', 'run'], value: 'a {{y "z"}}' },
    ]);
    const again = readEngineText(edited ?? '')?.object as { metadata: { name: string; labels: object } };
    assert.equal(again.metadata.name, '{{x}}');
    // Quotes in a tag stand as YAML has them in quotes: it is read after the tag was replaced.
    assert.deepEqual(again.metadata.labels, {
      ...(name.includes('alias') && { b: 'c' }),
      run: 'a {{y \\"z\\"}}',
    });
    assert.equal(edited?.includes('{{x}}'), true);
  });
}

test('a text that is too long, a script and other kinds are no engines', () => {
  assert.equal(readEngineText('kubectl apply -f engine.yaml'), undefined);
  assert.equal(readEngineText('kind: ChaosExperiment'), undefined);
  assert.equal(readEngineText('kind: ConfigMap\ndata: {a: "kind: ChaosEngine"}'), undefined);
  assert.equal(readEngineText(`${engineYaml()}#${'x'.repeat(1_000_000)}`), undefined);
});

test('an engine that cannot be read is refused', () => {
  const message = 'failed to unmarshal chaosengine';
  assert.throws(() => readEngineText('kind: ChaosEngine\n  metadata: x: y'), { message });
  assert.throws(() => readEngineText('kind: ChaosEngine\nmetadata: 7'), { message });
});

test('numbers that tags become stay unquoted', () => {
  const edited = readEngineText('kind: ChaosEngine\nmetadata: {}\nspec: {count: {{n}}}\n')?.edited([
    { path: ['spec', 'x'], value: 1 },
  ]);
  assert.deepEqual(parse(edited?.replace('{{n}}', '3') ?? ''), {
    kind: 'ChaosEngine',
    metadata: {},
    spec: { count: 3, x: 1 },
  });
});
