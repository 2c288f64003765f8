import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agreed, decideSync, isAsAgreed, type KnownExperiment, type SyncFacts } from './decide-sync.ts';
import type { GitDocument } from './documents.ts';

/** A document as `name hash`, elsewhere as `path:name hash`, with the id it names after `=`. */
function document(text: string): GitDocument {
  const [place = '', rest = ''] = text.split(' ');
  const [path, name] = place.includes(':') ? place.split(':') : [`${place}.yaml`, place];
  const [hash = '', experimentID = ''] = rest.split('=');
  return { path: path ?? '', name: name ?? '', text: '', hash, experimentID, infraID: 'i' };
}

/** What was agreed on as `name hash revision`; the id is `#name`. */
function agreed(text: string): Agreed {
  const [name = '', hash = '', revisionID = ''] = text.split(' ');
  return { experimentID: `#${name}`, path: `${name}.yaml`, name, hash, revisionID };
}

function experiment(text: string): KnownExperiment {
  const [name = '', revisionID = ''] = text.split(' ');
  return { id: `#${name}`, name, revisionID };
}

/** Steps as words. */
function stepTexts(facts: SyncFacts): string[] {
  return decideSync(facts).map((step) => {
    const what = 'document' in step ? `${step.document.path}:${step.document.name}` : '';
    const who = 'experimentID' in step ? step.experimentID : '';
    const where = 'place' in step && step.place !== undefined ? `@${step.place.path}` : '';
    const how = step.do === 'update' && step.conflict ? '!' : '';
    return [`${step.do}${how}`, what, who + where].filter((word) => word !== '').join(' ');
  });
}

type Row = readonly [
  what: string,
  git: readonly string[],
  before: readonly string[],
  project: readonly string[],
  expected: readonly string[],
];

const ROWS: readonly Row[] = [
  ['nothing has changed', ['a 1'], ['a 1 r'], ['a r'], []],
  ['a new document', ['a 1'], [], [], ['create a.yaml:a']],
  ['a new experiment', [], [], ['a r'], ['write #a']],
  ['a changed document', ['a 2'], ['a 1 r'], ['a r'], ['update a.yaml:a #a']],
  ['a changed experiment', ['a 1'], ['a 1 r'], ['a s'], ['write #a@a.yaml']],
  [
    'both have changed: the repository wins, and it is told',
    ['a 2'],
    ['a 1 r'],
    ['a s'],
    ['update! a.yaml:a #a'],
  ],
  ['a deleted document', [], ['a 1 r'], ['a r'], ['delete #a']],
  ['a deleted experiment', ['a 1'], ['a 1 r'], [], ['erase @a.yaml']],
  ['a moved document of a deleted experiment', ['dir/x.yaml:a 1=#a'], ['a 1 r'], [], ['erase @dir/x.yaml']],
  ['both deleted', [], ['a 1 r'], [], ['forget #a']],
  [
    'a document deleted, the experiment changed: the change wins',
    [],
    ['a 1 r'],
    ['a s'],
    ['write #a@a.yaml'],
  ],
  [
    'an experiment deleted, the document changed: the change wins',
    ['a 2'],
    ['a 1 r'],
    [],
    ['forget #a', 'create a.yaml:a'],
  ],
  ['a moved document', ['dir/x.yaml:a 1=#a'], ['a 1 r'], ['a r'], ['move dir/x.yaml:a #a']],
  ['a moved and changed document', ['dir/x.yaml:a 2=#a'], ['a 1 r'], ['a r'], ['update dir/x.yaml:a #a']],
  [
    'a moved document of a changed experiment is written where it is',
    ['dir/x.yaml:a 1=#a'],
    ['a 1 r'],
    ['a s'],
    ['write #a@dir/x.yaml'],
  ],
  ['a renamed document', ['a.yaml:b 2=#a'], ['a 1 r'], ['a r'], ['update a.yaml:b #a']],
  [
    'a copy of a document',
    ['a 1=#a', 'b.yaml:b 1=#a'],
    ['a 1=#a r'.replace('=#a', '')],
    ['a r'],
    ['create b.yaml:b'],
  ],
  ['a document that names an experiment of before', ['a 1=#a'], [], ['a r'], ['update a.yaml:a #a']],
  [
    'two documents that name one experiment',
    ['a 1=#a', 'b 1=#a'],
    [],
    ['a r'],
    ['update a.yaml:a #a', 'create b.yaml:b'],
  ],
  ['a document that names one of another project', ['a 1=#x'], [], [], ['create a.yaml:a']],
  [
    'several at once',
    ['a 2', 'c 1'],
    ['a 1 r', 'b 1 r'],
    ['a r', 'b r', 'd r'],
    ['delete #b', 'update a.yaml:a #a', 'create c.yaml:c', 'write #d'],
  ],
];

for (const [what, git, before, project, expected] of ROWS) {
  test(`sync: ${what}`, () => {
    const facts = {
      documents: git.map(document),
      agreed: before.map(agreed),
      experiments: project.map(experiment),
    };
    assert.deepEqual(stepTexts({ ...facts, isMarked: true }), expected);
  });
}

for (const [before, project, expected] of [
  [[], [], true],
  [['a 1 r'], ['a r'], true],
  [['a 1 r'], ['a s'], false],
  [['a 1 r'], [], false],
  [[], ['a r'], false],
  [['a 1 r'], ['b r'], false],
] as const) {
  test(`sync: ${JSON.stringify(before)} and ${JSON.stringify(project)} are ${expected ? '' : 'not '}as agreed`, () => {
    assert.equal(isAsAgreed(before.map(agreed), project.map(experiment)), expected);
  });
}

test('sync: in a repository without the project’s mark nothing is deleted; what was there is written again', () => {
  const facts = {
    documents: [],
    agreed: [agreed('a 1 r')],
    experiments: [experiment('a r')],
    isMarked: false,
  };
  assert.deepEqual(stepTexts(facts), ['write #a@a.yaml']);
});

test('sync: after its steps there are no more', () => {
  for (const [what, git, before, project] of ROWS) {
    // Both sides as the steps leave them: each with the same experiments, all agreed on.
    const steps = decideSync({
      documents: git.map(document),
      agreed: before.map(agreed),
      experiments: project.map(experiment),
      isMarked: true,
    });
    const gone = new Set(steps.flatMap((step) => (step.do === 'delete' ? [step.experimentID] : [])));
    const left = project.map(experiment).filter(({ id }) => !gone.has(id));
    const written = left.map(({ name, revisionID }) => ({
      document: document(`${name} h`),
      agreed: agreed(`${name} h ${revisionID}`),
    }));
    const again = decideSync({
      documents: written.map((one) => one.document),
      agreed: written.map((one) => one.agreed),
      experiments: left,
      isMarked: true,
    });
    assert.deepEqual(again, [], what);
  }
});
