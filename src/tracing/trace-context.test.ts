import assert from 'node:assert/strict';
import test from 'node:test';
import { formatTraceParent, handOnTrace, parseTraceParent, spanIdOf, traceIdOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const CONTEXT = { traceId: TRACE, spanId: SPAN, isSampled: true };

const READ: readonly (readonly [name: string, text: string, context: typeof CONTEXT | undefined])[] = [
  ['the text of W3C', `00-${TRACE}-${SPAN}-01`, CONTEXT],
  ['one that is not kept', `00-${TRACE}-${SPAN}-00`, { ...CONTEXT, isSampled: false }],
  ['another flag beside it', `00-${TRACE}-${SPAN}-03`, CONTEXT],
  ['a version to come', `01-${TRACE}-${SPAN}-01-more`, CONTEXT],
  ['JSON, as upstream', `{"traceparent":"00-${TRACE}-${SPAN}-01","baggage":"a=1"}`, CONTEXT],
  ['spaces around it', ` 00-${TRACE}-${SPAN}-01\n`, CONTEXT],
  ['nothing', '', undefined],
  ['an empty object', '{}', undefined],
  ['half an object', '{"traceparent"', undefined],
  ['a member that is no text', '{"traceparent":1}', undefined],
  ['a version that must not be', `ff-${TRACE}-${SPAN}-01`, undefined],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['capital digits', `00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
];
for (const [name, text, context] of READ) {
  test(`TRACE_PARENT is read: ${name}`, () => assert.deepEqual(parseTraceParent(text), context));
}

test('what is handed on is JSON for upstream and is read back', () => {
  assert.equal(handOnTrace(CONTEXT), `{"traceparent":"00-${TRACE}-${SPAN}-01"}`);
  assert.deepEqual(parseTraceParent(handOnTrace(CONTEXT)), CONTEXT);
  assert.equal(formatTraceParent({ ...CONTEXT, isSampled: false }), `00-${TRACE}-${SPAN}-00`);
});

test('state and baggage go on, unless the whole would be too long for upstream', () => {
  const received = (baggage: string): string =>
    JSON.stringify({
      traceparent: `00-${TRACE}-aaaaaaaaaaaaaaaa-01`,
      tracestate: 'v=1',
      baggage,
      other: 'x',
    });
  assert.deepEqual(JSON.parse(handOnTrace(CONTEXT, received('team=shop'))), {
    traceparent: `00-${TRACE}-${SPAN}-01`,
    tracestate: 'v=1',
    baggage: 'team=shop',
  });
  assert.equal(handOnTrace(CONTEXT, received('x'.repeat(1000))), `{"traceparent":"00-${TRACE}-${SPAN}-01"}`);
});

test('ids follow from names: a UUID is its own trace, others have one as well, and names differ', () => {
  assert.equal(traceIdOf('F71644C9-470f-4fa5-8e81-02a3ab4a3408'), 'f71644c9470f4fa58e8102a3ab4a3408');
  assert.match(traceIdOf('r1'), /^[0-9a-f]{32}$/);
  assert.notEqual(traceIdOf('r1'), traceIdOf('r2'));
  assert.match(traceIdOf('00000000-0000-0000-0000-000000000000'), /[1-9a-f]/);
  const names = Array.from({ length: 5000 }, (_, index) => `run/experiment/${index}`);
  assert.equal(new Set(names.map(spanIdOf)).size, names.length);
  assert.ok(names.every((name) => /^(?!0+$)[0-9a-f]{16}$/.test(spanIdOf(name))));
});
