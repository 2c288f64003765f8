import type { SpanRecord, TraceRecord } from '../../../tracing/trace-record.ts';

/** A trace of two programs, for tests. */
export const SAMPLE: TraceRecord = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spans: [
    {
      id: '00f067aa0ba902b7',
      parentId: undefined,
      service: 'chaos_operator',
      name: 'run',
      startMs: 1_764_000_000_000,
      endMs: 1_764_000_009_123,
      attributes: { 'turnsole.engine': 'web', 'turnsole.verdict': undefined, flag: true, count: 3 },
      events: [{ atMs: 1_764_000_000_001, name: 'EngineInitialized', attributes: { message: 'run begins' } }],
      failure: 'verdict Fail',
    },
    {
      id: 'b7ad6b7169203331',
      parentId: '00f067aa0ba902b7',
      service: 'chaos_experiment_job',
      name: 'experiment pod-delete',
      startMs: 1_764_000_001_000,
      endMs: 1_764_000_001_000,
      attributes: {},
      events: [],
    },
  ] satisfies SpanRecord[],
};
