import assert from 'node:assert/strict';
import test from 'node:test';
import { childTraceParent, engineSpanId, runnerSpanId, runnerTraceParent, traceOfRun } from './run-trace.ts';

const RUN = 'f71644c9-470f-4fa5-8e81-02a3ab4a3408';
const OWN_TRACE = 'f71644c9470f4fa58e8102a3ab4a3408';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317' };

function engine(traceParent?: string): Parameters<typeof runnerTraceParent>[0] {
  const annotations: Record<string, string> =
    traceParent === undefined ? {} : { 'turnsole.io/trace-parent': traceParent };
  return { metadata: { name: 'web', annotations }, status: { runId: RUN } };
}

test('a run is a trace of its own, found by the run id, or part of that of who made the engine', () => {
  assert.deepEqual(traceOfRun(engine(), RUN), { traceId: OWN_TRACE, isSampled: true });
  assert.deepEqual(traceOfRun(engine(`00-${TRACE}-${SPAN}-00`), RUN), {
    traceId: TRACE,
    isSampled: false,
    parentSpanId: SPAN,
  });
  assert.equal(traceOfRun(engine('nonsense'), RUN).traceId, OWN_TRACE);
});

test('the engine of a workflow that names none belongs to the trace of the workflow, by its uid', () => {
  const labelled = (uid: string, annotations = {}): string =>
    traceOfRun({ metadata: { name: 'web', labels: { workflow_run_id: uid }, annotations } }, RUN).traceId;
  const uid = '0b2c3d4e-0000-4000-8000-0123456789ab';
  assert.equal(labelled(uid), uid.replaceAll('-', ''));
  assert.equal(labelled('{{workflow.uid}}'), OWN_TRACE, 'no workflow has filled it in');
  assert.equal(labelled(uid, { 'turnsole.io/trace-parent': `00-${TRACE}-${SPAN}-01` }), TRACE);
});

test('the runner gets the span of the run', () => {
  const traceParentOf = (traceParent: string | undefined, otel: Readonly<Record<string, string>>): string =>
    runnerTraceParent(engine(traceParent), otel);
  assert.equal(traceParentOf(undefined, OTEL), `{"traceparent":"00-${OWN_TRACE}-${engineSpanId(RUN)}-01"}`);
  assert.equal(
    traceParentOf(`00-${TRACE}-${SPAN}-01`, OTEL),
    `{"traceparent":"00-${TRACE}-${engineSpanId(RUN)}-01"}`,
  );
  assert.match(
    traceParentOf(undefined, { ...OTEL, OTEL_SDK_DISABLED: 'true' }),
    /traceparent/,
    'upstream cannot do without',
  );
  assert.equal(traceParentOf(undefined, {}), '', 'no program sends the span of the run');
  assert.equal(
    traceParentOf(`00-${TRACE}-${SPAN}-01`, {}),
    `00-${TRACE}-${SPAN}-01`,
    'that of who made the engine',
  );
  assert.equal(traceParentOf('nonsense', {}), '', 'upstream ends with an error where it cannot read it');
});

test('a child gets its parent where our operator sends the spans, else the incoming span', () => {
  const received = `{"traceparent":"00-${TRACE}-${SPAN}-01","baggage":"a=1"}`;
  const spanId = (): string => runnerSpanId(RUN);
  assert.equal(
    childTraceParent(received, { runId: RUN, otel: OTEL, spanId }),
    `{"traceparent":"00-${TRACE}-${runnerSpanId(RUN)}-01","baggage":"a=1"}`,
  );
  assert.equal(childTraceParent(received, { runId: undefined, otel: OTEL, spanId }), received);
  assert.equal(childTraceParent(received, { runId: RUN, otel: {}, spanId }), received);
  assert.equal(childTraceParent('', { runId: RUN, otel: OTEL, spanId }), '');
});
