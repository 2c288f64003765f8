import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filledQuery, placeholderProblem } from './placeholders.ts';

const UNKNOWN = 'is no placeholder; there are {{namespace}} and {{pods}}';
const outside = (text: string, label: string): string =>
  `${text} is a regular expression and stands in the text of a matcher =~ or !~, such as ${label}=~"${text}"`;

for (const [name, query, expected] of [
  ['a query without any', 'sum(rate(requests{code="500"}[1m]))', undefined],
  ['both in matchers', 'up{namespace=~"{{namespace}}",pod!~"{{pods}}"}', undefined],
  ['blanks in it and before it', 'up{pod =~ "{{ pods }}"}', undefined],
  ['a part of a text', 'up{instance=~"({{pods}}):9100"}', undefined],
  ['every kind of quotes', 'up{a=~\'{{pods}}\',b=~`{{pods}}`,c=~"{{pods}}"}', undefined],
  ['after quotes in quotes', String.raw`up{a="\"=~",b='"',c=~"{{pods}}"}`, undefined],
  ['after quotes in a comment', 'up # it"s\n{pod=~"{{pods}}"}', undefined],
  ['an unknown one', 'up{pod=~"{{pod}}"}', `{{pod}} ${UNKNOWN}`],
  ['one of a prototype', 'up{pod=~"{{constructor}}"}', `{{constructor}} ${UNKNOWN}`],
  ['an empty one', 'up{pod=~"{{}}"}', `{{}} ${UNKNOWN}`],
  ['in a matcher of equality', 'up{namespace="{{namespace}}"}', outside('{{namespace}}', 'namespace')],
  ['outside of texts', 'up{pod=~{{pods}}}', outside('{{pods}}', 'pod')],
  ['in a text that is no matcher', 'label_replace(up, "a", "{{pods}}", "", "")', outside('{{pods}}', 'pod')],
  ['in a comment', 'up # {pod=~"{{pods}}"}', outside('{{pods}}', 'pod')],
  ['behind the end of a text', String.raw`up{a=~"x\\",b={{pods}}}`, outside('{{pods}}', 'pod')],
  ['in a text whose quote is escaped', String.raw`up{a=~"x\"{{pods}}"}`, undefined],
  ['in raw quotes no backslash escapes', 'up{a=~`x\\`,b={{pods}}}', outside('{{pods}}', 'pod')],
] as const) {
  test(`placeholders: ${name}`, () => {
    assert.equal(placeholderProblem(query), expected);
  });
}

const QUERY = 'up{namespace=~"{{namespace}}",pod=~"{{pods}}"}';

for (const [name, namespaces, pods, expected] of [
  ['one of each', ['shop'], ['web-1'], 'up{namespace=~"(?:shop)",pod=~"(?:web-1)"}'],
  ['several', ['pay', 'shop'], ['a', 'b'], 'up{namespace=~"(?:pay|shop)",pod=~"(?:a|b)"}'],
  ['dots mean themselves', ['shop'], ['web-1.a.b'], 'up{namespace=~"(?:shop)",pod=~"(?:web-1[.]a[.]b)"}'],
  [
    'what no pod can be called is left out',
    ['shop', 'shop|.*', 'a.b'],
    ['"} or vector(1) #', '.*', 'web-1', 'a\\', "'", '`', 'a|b', 'Web', '', '{{namespace}}', '$&', 'a\nb'],
    'up{namespace=~"(?:shop)",pod=~"(?:web-1)"}',
  ],
] as const) {
  test(`names in a query: ${name}`, () => {
    assert.deepEqual(filledQuery(QUERY, { namespaces, pods }), { query: expected });
  });
}

test('a query that asks for what the run has not hit is not asked', () => {
  const none = { namespaces: [], pods: [] };
  const noPod = { problem: 'the run has hit no pod, which this query asks for' };
  const node = { namespaces: [], pods: [] };
  assert.deepEqual(filledQuery('up{pod=~"{{pods}}"}', none), noPod);
  assert.deepEqual(filledQuery('up{pod!~"{{pods}}"}', { namespaces: ['shop'], pods: ['.*'] }), noPod);
  assert.deepEqual(filledQuery(QUERY, node), {
    problem: 'the run has hit nothing in a namespace, which this query asks for',
  });
  assert.deepEqual(filledQuery('up', none), { query: 'up' });
});

test('as many names as a query may have, and one more', () => {
  const pods = Array.from({ length: 501 }, (_, n) => `web-${n}`);
  const of = (count: number) =>
    filledQuery('up{pod=~"{{pods}}"}', { namespaces: [], pods: pods.slice(0, count) });
  assert.equal('query' in of(500), true);
  assert.deepEqual(of(501), {
    problem: 'the run has hit 501 of what {{pods}} stands for, and a query names at most 500',
  });
});
