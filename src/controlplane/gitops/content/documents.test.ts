import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashOf, readDocuments, withDocument, withExperimentID } from './documents.ts';

const doc = (name: string, more = ''): string =>
  `kind: Workflow\nmetadata:\n  name: ${name}\n  labels: { infra_id: i${more} }\n`;

describe('documents of a file', () => {
  test('are its experiments, by name, with their labels', () => {
    const file = `# mine\n${doc('a')}---\nkind: ConfigMap\nmetadata: { name: c }\n--- # next\n${doc('b', ', workflow_id: w')}---\n\n`;
    const { documents, problems } = readDocuments('p.yaml', file);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      documents.map(({ name, experimentID, infraID }) => [name, experimentID, infraID]),
      [
        ['a', '', 'i'],
        ['b', 'w', 'i'],
      ],
    );
    assert.equal(documents[1]?.hash, hashOf(doc('b', ', workflow_id: w')));
  });

  for (const [what, file, said] of [
    ['no YAML', 'kind: [', /this is no YAML/],
    ['two without a line between', `${doc('a')}...\n${doc('b')}`, /no YAML: two documents/],
    ['no name', 'kind: Workflow\nmetadata: { labels: { infra_id: i } }', /no metadata.name/],
    ['no infrastructure', 'kind: Workflow\nmetadata: { name: a }', /infra_id is missing/],
    ['the same name twice', `${doc('a')}---\n${doc('a')}`, /two documents of this name/],
  ] as const) {
    test(`a file with ${what} is reported`, () =>
      assert.match(readDocuments('p', file).problems[0]?.message ?? '', said));
  }

  for (const file of ['', '\n---\n', 'a: 1', '- 1', 'kind: Pod\nmetadata: { name: a }']) {
    test(`no document is read from ${JSON.stringify(file)}`, () =>
      assert.deepEqual(readDocuments('p', file), { documents: [], problems: [] }));
  }

  test('a file with aliases without end gives no document', () => {
    const bomb = [
      'a: &a [x]',
      ...'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(20)}]`),
    ].join('\n');
    assert.deepEqual(readDocuments('p', bomb).documents, []);
  });
});

describe('a document in a file', () => {
  const [a, b, c] = [doc('a'), doc('b'), doc('c')];
  const file = `# head\n${a}--- # second\n${b}---\n${c}`;
  const cases: readonly [
    what: string,
    file: string | undefined,
    name: string,
    text: string | undefined,
    expected: string | undefined,
  ][] = [
    ['makes the file', undefined, 'a', a, a],
    ['is added at the end', a, 'b', b, `${a}---\n${b}`],
    [
      'is replaced, the others stay',
      file,
      'b',
      doc('b', ', x: y'),
      `# head\n${a}--- # second\n${doc('b', ', x: y')}---\n${c}`,
    ],
    ['is deleted, the others stay', file, 'b', undefined, `# head\n${a}---\n${c}`],
    ['is deleted at the end', `${a}---\n${b}`, 'b', undefined, a],
    ['is the last one, and the file goes', a, 'a', undefined, undefined],
    ['was not there', a, 'b', undefined, a],
  ];
  for (const [what, before, name, text, expected] of cases) {
    test(what, () => assert.equal(withDocument(before, 'p', name, text), expected));
  }

  test('that is deleted at the beginning leaves the rest readable', () => {
    const left = withDocument(`${a}---\n${b}`, 'p', 'a', undefined) ?? '';
    assert.deepEqual(
      readDocuments('p', left).documents.map(({ name }) => name),
      ['b'],
    );
  });

  test('gets its id, and keeps its comments', () => {
    const text = 'kind: Workflow # mine\nmetadata:\n  name: a\n  labels:\n    infra_id: i # where\n';
    assert.equal(withExperimentID(text, 'w'), `${text}    workflow_id: w\n`);
    assert.match(withExperimentID('kind: Workflow\nmetadata: { name: a }\n', 'w'), /workflow_id: w/);
  });
});
