import assert from 'node:assert/strict';
import test from 'node:test';
import { traceParentOf, withTraceParent } from './trace-parent.ts';

const RECEIVED = '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}';
const engine = { kind: 'ChaosEngine', metadata: { name: 'web', annotations: { note: 'x' } } };

test('what is made in a trace says so, beside its other annotations', () => {
  const made = withTraceParent(engine, { TRACE_PARENT: RECEIVED });
  assert.deepEqual(made.metadata.annotations, { note: 'x', 'turnsole.io/trace-parent': RECEIVED });
  assert.equal(traceParentOf(made.metadata), RECEIVED);
  assert.equal(traceParentOf({}), '');
});

test('the trace that a manifest names stays, and what cannot be read is not written', () => {
  const own = { metadata: { annotations: { 'turnsole.io/trace-parent': 'mine' } } };
  assert.equal(withTraceParent(own, { TRACE_PARENT: RECEIVED }), own);
  assert.equal(withTraceParent(engine, {}), engine);
  assert.equal(withTraceParent(engine, { TRACE_PARENT: '{}' }), engine);
});
