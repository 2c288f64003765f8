import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InputProblem } from '../errors.ts';
import { sortForApply } from './apply.ts';
import { parseManifests } from './load.ts';

function parse(text: string): { kinds: string[]; problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  const kinds = parseManifests('x.yaml', text, problems).map(
    ({ object }) => `${object.kind}/${object.metadata.name}`,
  );
  return { kinds, problems };
}

describe('parseManifests', () => {
  it('reads several documents and skips empty ones', () => {
    const text =
      '---\nkind: A\napiVersion: v1\nmetadata: {name: a}\n---\n---\n# nothing\n---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n';
    assert.deepEqual(parse(text), { kinds: ['A/a', 'B/b'], problems: [] });
  });

  it('flattens a List', () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }],
    });
    assert.deepEqual(parse(text), { kinds: ['A/a'], problems: [] });
  });

  const BAD: readonly { name: string; text: string; problem: Partial<InputProblem> }[] = [
    { name: 'a document without kind', text: 'apiVersion: v1\n', problem: { line: 1, field: 'kind' } },
    {
      name: 'a document without name',
      text: '\n\napiVersion: v1\nkind: A\n',
      problem: { line: 3, field: 'metadata' },
    },
    { name: 'a document that is a list', text: '- a\n', problem: { line: 1 } },
    { name: 'a tab as indentation', text: 'a:\n\tb: 1\n', problem: { line: 2 } },
  ];
  for (const { name, text, problem } of BAD) {
    it(`refuses ${name} and says where`, () => {
      const { kinds, problems } = parse(text);
      assert.deepEqual(kinds, []);
      assert.equal(problems.length > 0, true);
      for (const [key, value] of Object.entries(problem)) assert.equal(Object(problems[0])[key], value, key);
    });
  }

  it('knows the line of a field, and of its nearest parent when it is absent', () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n  list:\n    - x: 1\n    - y: 2\n';
    const [manifest] = parseManifests('x.yaml', text, []);
    assert.equal(manifest?.lineOf(['spec', 'list', 1, 'y']), 8);
    assert.equal(manifest?.lineOf(['spec', 'list', 1, 'z']), 8);
    assert.equal(manifest?.lineOf(['status']), 1);
  });
});

describe('sortForApply', () => {
  it('puts what others need first, engines last, and keeps the order of equals', () => {
    const names = [
      'ChaosEngine',
      'Deployment',
      'Pod',
      'ServiceAccount',
      'Namespace',
      'ChaosExperiment',
      'ConfigMap',
    ];
    const text = names.map((kind) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: x}\n`).join('---\n');
    const sorted = sortForApply(parseManifests('x.yaml', text, []));
    assert.deepEqual(
      sorted.map(({ object }) => object.kind),
      ['Namespace', 'ServiceAccount', 'ConfigMap', 'ChaosExperiment', 'Deployment', 'Pod', 'ChaosEngine'],
    );
  });
});
