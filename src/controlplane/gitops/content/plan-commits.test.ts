import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocuments } from './documents.ts';
import { type DocumentChange, planCommits } from './plan-commits.ts';

const AUTHOR = { name: 'a', email: 'a' };
const text = (name: string, more = ''): string =>
  `kind: Workflow\nmetadata: { name: ${name}, labels: { infra_id: i${more} } }`;

function change(experimentID: string, change: Partial<DocumentChange>): DocumentChange {
  return {
    experimentID,
    place: undefined,
    document: undefined,
    message: `about ${experimentID}`,
    author: AUTHOR,
    ...change,
  };
}

const doc = (name: string, more = '') => ({ name, text: text(name, more), revisionID: 'r' });

test('a new experiment is a file of its name; what is agreed on is what will be read', () => {
  const { commits, written } = planCommits('f', new Map(), [], [change('1', { document: doc('a') })]);
  assert.deepEqual(
    commits.map(({ message, files }) => [message, [...files]]),
    [['about 1', [['f/a.yaml', `${text('a')}\n`]]]],
  );
  const [read] = readDocuments('f/a.yaml', commits[0]?.files.get('f/a.yaml') ?? '').documents;
  assert.equal(written[0]?.hash, read?.hash);
});

test('names that are no names of files, or are in use, get the id', () => {
  const changes = ['../x', 'A', 'ok'].map((name, index) => change(`id/${index}`, { document: doc(name) }));
  const { written } = planCommits('f', new Map(), ['f/a.yaml'], changes);
  assert.deepEqual(
    written.map(({ path }) => path),
    ['f/id_0.yaml', 'f/A-id_1.yaml', 'f/ok.yaml'],
  );
});

test('changes of one file follow one another, and one message in turn is one commit', () => {
  const files = new Map([['f/ab.yaml', `${text('a')}\n---\n${text('b')}\n`]]);
  const place = (name: string) => ({ path: 'f/ab.yaml', name });
  const { commits, written, erased } = planCommits(
    'f',
    files,
    ['f/ab.yaml'],
    [
      change('1', { place: place('a'), document: doc('c', ', x: y'), message: 'm' }),
      change('2', { place: place('b'), message: 'm' }),
    ],
  );
  assert.equal(commits.length, 1);
  assert.equal(commits[0]?.files.get('f/ab.yaml'), `${text('c', ', x: y')}\n`);
  assert.deepEqual([written[0]?.name, erased], ['c', ['2']]);
});

test('the last document of a file takes the file with it', () => {
  const files = new Map([['f/a.yaml', text('a')]]);
  const { commits } = planCommits(
    'f',
    files,
    ['f/a.yaml'],
    [change('1', { place: { path: 'f/a.yaml', name: 'a' } })],
  );
  assert.equal(commits[0]?.files.get('f/a.yaml'), null);
});
