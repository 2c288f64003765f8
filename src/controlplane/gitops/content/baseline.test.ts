import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baselineOf, isNews } from './baseline.ts';
import { readDocuments } from './documents.ts';

const document = (name: string, more = ''): string =>
  `kind: Workflow\nmetadata: {name: ${name}, labels: {infra_id: i}}\n${more}`;

/** Names of the documents that are news in a repository that was connected with other files. */
function newsIn(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  const texts = new Map(Object.entries(before));
  const problems = [...texts].flatMap(([path, text]) => readDocuments(path, text).problems);
  const baseline = baselineOf(texts, problems);
  const documents = Object.entries(after).flatMap(([path, text]) => readDocuments(path, text).documents);
  return documents.filter((one) => isNews(baseline, one)).map(({ name }) => name);
}

type Files = Readonly<Record<string, string>>;

const ROWS: readonly [what: string, before: Files, after: Files, news: readonly string[]][] = [
  ['a document that was there', { a: document('a') }, { a: document('a') }, []],
  ['one that was moved', { a: document('a') }, { 'dir/b': `---\n${document('a')}` }, []],
  ['one that was changed', { a: document('a') }, { a: document('a', 'spec: {}') }, ['a']],
  ['a new one', {}, { a: document('a') }, ['a']],
  [
    'a new one beside one that was there',
    { a: document('a') },
    { a: `${document('a')}---\n${document('b')}` },
    ['b'],
  ],
  ['those of a file that could not be read, once it can', { a: 'kind: [' }, { a: document('a') }, []],
  [
    'one beside another that could not be read',
    { a: `${document('a')}---\nkind: [` },
    { a: `${document('a')}---\n${document('b')}` },
    [],
  ],
  [
    'one without an infrastructure, once it has one',
    { a: 'kind: Workflow\nmetadata: {name: a}' },
    { a: document('a') },
    [],
  ],
];

for (const [what, before, after, news] of ROWS) {
  test(`news: ${what}`, () => assert.deepEqual(newsIn(before, after), news));
}
