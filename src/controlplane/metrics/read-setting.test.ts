import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../access/refusal.ts';
import { readSetting } from './read-setting.ts';

const ADDRESS = 'http://prometheus.monitoring:9090';
const query = (more: object = {}) => ({ name: 'errors', unit: '%', query: 'up', ...more });

test('a setting is kept without what means nothing', () => {
  const request = {
    address: ` ${ADDRESS}/prom// `,
    queries: [
      query({ name: ' errors ', unit: null, query: ' up{pod=~"{{pods}}"} \n' }),
      query({ name: 'b' }),
    ],
  };
  assert.deepEqual(readSetting(request), {
    address: `${ADDRESS}/prom`,
    queries: [
      { name: 'errors', unit: '', query: 'up{pod=~"{{pods}}"}' },
      { name: 'b', unit: '%', query: 'up' },
    ],
  });
});

for (const [name, request, field, sentence] of [
  ['no address', { address: 'prometheus:9090' }, 'address', /expected an address such as/],
  ['another protocol', { address: 'ftp://web' }, 'address', /expected an address such as/],
  ['a user', { address: 'http://me@web' }, 'address', /it holds credentials/],
  ['a password', { address: 'https://:secret@web' }, 'address', /it holds credentials/],
  ['a query in the address', { address: 'http://web?token=x' }, 'address', /without \? and #/],
  ['a long address', { address: `http://${'a'.repeat(500)}` }, 'address', /at most 500/],
  ['no query', { queries: [] }, 'queries', /there are 0 queries; expected 1 to 4/],
  [
    'five queries',
    { queries: [1, 2, 3, 4, 5].map((n) => query({ name: `${n}` })) },
    'queries',
    /there are 5/,
  ],
  ['no name', { queries: [query({ name: ' ' })] }, 'queries[0].name', /it is empty/],
  ['a name twice', { queries: [query(), query({ name: 'errors ' })] }, 'queries[1].name', /another query/],
  ['a long name', { queries: [query({ name: 'x'.repeat(61) })] }, 'queries[0].name', /at most 60/],
  ['a name in lines', { queries: [query({ name: 'a\nb' })] }, 'queries[0].name', /cannot be seen/],
  ['a name that turns', { queries: [query({ name: 'a\u202eb' })] }, 'queries[0].name', /cannot be seen/],
  ['a long unit', { queries: [query({ unit: 'x'.repeat(21) })] }, 'queries[0].unit', /at most 20/],
  ['no PromQL', { queries: [query({ query: '\n' })] }, 'queries[0].query', /it is empty/],
  ['long PromQL', { queries: [query({ query: 'x'.repeat(4001) })] }, 'queries[0].query', /at most 4000/],
  ['a placeholder', { queries: [query({ query: '{{x}}' })] }, 'queries[0].query', /{{x}} is no placeholder/],
] as const) {
  test(`a setting is refused: ${name}`, () => {
    assert.throws(
      () => readSetting({ address: ADDRESS, queries: [query()], ...request }),
      (error: unknown) => {
        assert.ok(error instanceof Refusal);
        assert.deepEqual([error.code, error.fields], ['invalid', [`request.${field}`]]);
        assert.equal(error.message.startsWith(`${field}: `), true, error.message);
        assert.match(error.message, sentence);
        // Whoever sees the refusal may not be who has typed it.
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  });
}
