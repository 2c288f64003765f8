import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Template } from '../kinds/template.ts';
import { type CollectionFacts, collection, mustReport } from './collection.ts';

const CONTAINER = { image: 'busybox', command: ['sh'] };
const OUTPUT = { parameters: [{ name: 'p', valueFrom: { path: '/tmp/p' } }] };
const S3 = { name: 'a', path: '/a', s3: { key: 'k' } };

const CASES: readonly [
  name: string,
  template: Template,
  facts: Partial<CollectionFacts>,
  expected: 'none' | 'log' | readonly string[],
  isReporting: boolean,
][] = [
  ['a plain container', { container: CONTAINER }, {}, 'none', false],
  [
    'raw artifacts',
    { container: CONTAINER, inputs: { artifacts: [{ name: 'r', path: '/r', raw: { data: '' } }] } },
    {},
    'none',
    false,
  ],
  ['a script whose result is not read', { script: { ...CONTAINER, source: '' } }, {}, 'none', false],
  ['a result', { script: { ...CONTAINER, source: '' } }, { wantsResult: true }, ['result'], true],
  ['an output file', { container: CONTAINER, outputs: OUTPUT }, {}, ['outputs'], true],
  [
    'an output artifact',
    { container: CONTAINER, outputs: { artifacts: [{ name: 'a', path: '/a' }] } },
    {},
    ['outputs'],
    true,
  ],
  [
    'an output without a file',
    { container: CONTAINER, outputs: { parameters: [{ name: 'p', value: '1' }] } },
    {},
    'none',
    false,
  ],
  ['an artifact of a store', { container: CONTAINER, inputs: { artifacts: [S3] } }, {}, ['fetch'], false],
  ['a log to be kept', { container: CONTAINER }, { archiveLogs: true }, ['logs'], true],
  ['sidecars', { container: CONTAINER, sidecars: [{ name: 's' }] }, {}, ['sidecars'], false],
  [
    'a set without order',
    { containerSet: { containers: [{ name: 'a' }, { name: 'b' }] } },
    {},
    'none',
    false,
  ],
  [
    'a set in order',
    { containerSet: { containers: [{ name: 'a' }, { name: 'b', dependencies: ['a'] }] } },
    {},
    ['order'],
    false,
  ],
  ['a resource', { resource: { action: 'create' } }, {}, 'none', false],
  [
    'outputs of a resource',
    {
      resource: { action: 'get' },
      outputs: { parameters: [{ name: 'p', valueFrom: { jsonPath: '{.a}' } }] },
    },
    {},
    'log',
    true,
  ],
  ['data', { data: {} }, {}, 'log', true],
  [
    'all at once',
    { container: CONTAINER, inputs: { artifacts: [S3] }, outputs: OUTPUT, sidecars: [{ name: 's' }] },
    { wantsResult: true, archiveLogs: true },
    ['fetch', 'sidecars', 'result', 'outputs', 'logs'],
    true,
  ],
];

test('how outputs are read', () => {
  for (const [name, template, facts, expected, isReporting] of CASES) {
    const all = { wantsResult: false, archiveLogs: false, ...facts };
    const how = collection(template, all);
    assert.deepEqual(how.kind === 'helper' ? how.uses : how.kind, expected, name);
    assert.equal(mustReport(template, all), isReporting, name);
  }
});
