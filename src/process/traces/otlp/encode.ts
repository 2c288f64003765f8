/** Loaded only where a trace is sent: nothing else imports OpenTelemetry's packages. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import {
  type ISerializer,
  JsonTraceSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  type ReadableSpan,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanRecord, TraceRecord } from '../../../tracing/trace-record.ts';
import { packageVersion } from '../../version.ts';
import type { TraceSettings } from '../settings.ts';

/** A name that upstream's spans do not have, so that these can be recognised. */
const SCOPE = 'turnsole.io/timeline';
/** A timeline has no more lines; OpenTelemetry's own limit is 128. */
const MOST_EVENTS = 2_000;

/** The request that brings a trace to a collector, as JSON or protobuf. */
export function encodeTrace(
  record: TraceRecord,
  { protocol, resource, serviceName }: Pick<TraceSettings, 'protocol' | 'resource' | 'serviceName'>,
): Uint8Array {
  const ended: ReadableSpan[] = [];
  const collect: SpanProcessor = {
    onStart: () => {},
    onEnd: (span) => void ended.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  let nextId = '';
  const tracers = new Map<string, Tracer>();
  // The first span is that of the process itself, which its own settings may name.
  const own = record.spans[0]?.service;
  const tracerOf = (service: string): Tracer => {
    const known = tracers.get(service);
    if (known !== undefined) return known;
    const name = service === own ? (serviceName ?? service) : service;
    const provider = new TracerProvider({
      resource: resourceFromAttributes({
        ...resource,
        'service.name': name,
        'service.version': packageVersion(),
      }),
      sampler: new AlwaysOnSampler(),
      spanLimits: { eventCountLimit: MOST_EVENTS },
      spanProcessors: [collect],
      idGenerator: { generateSpanId: () => nextId, generateTraceId: () => record.traceId },
    });
    const tracer = provider.getTracer(SCOPE);
    tracers.set(service, tracer);
    return tracer;
  };
  for (const span of record.spans) {
    nextId = span.id;
    play(span, record.traceId, tracerOf(span.service));
  }
  const serializer: ISerializer<ReadableSpan[], unknown> =
    protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  const bytes = serializer.serializeRequest(ended);
  if (bytes === undefined) throw new TypeError('a trace could not be encoded');
  return bytes;
}

/** Lets a span begin and end once more, at its own times. */
function play(span: SpanRecord, traceId: string, tracer: Tracer): void {
  const { parentId, name, startMs, endMs, events, failure } = span;
  const context =
    parentId === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED });
  const attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([, value]) => value !== undefined),
  );
  const played = tracer.startSpan(
    name,
    { kind: SpanKind.INTERNAL, startTime: new Date(startMs), attributes },
    context,
  );
  for (const event of events) played.addEvent(event.name, event.attributes, new Date(event.atMs));
  if (failure !== undefined) played.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  played.end(new Date(endMs));
}
