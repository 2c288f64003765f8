import { bytesOf, type Fields, messagesOf, numberOf, readFields, textOf } from './protobuf.ts';

/** A span as a collector has it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** Texts only. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly events: readonly { readonly name: string; readonly atMs: number; readonly message: string }[];
  /** Message of an error; undefined for a span that is none. */
  readonly failure: string | undefined;
}

const ERROR = 2;

/** The spans of an ExportTraceServiceRequest in protobuf; numbers of fields are those of opentelemetry-proto, trace/v1. */
export function spansOfProtobuf(request: Buffer): ReceivedSpan[] {
  return messagesOf(readFields(request), 1).flatMap((ofResource) => {
    const [resource] = messagesOf(ofResource, 1);
    const service = resource === undefined ? '' : (attributesOf(resource, 1)['service.name'] ?? '');
    return messagesOf(ofResource, 2).flatMap((ofScope) =>
      messagesOf(ofScope, 2).map((span): ReceivedSpan => {
        const [status] = messagesOf(span, 15);
        return {
          service,
          traceId: bytesOf(span, 1)[0]?.toString('hex') ?? '',
          spanId: bytesOf(span, 2)[0]?.toString('hex') ?? '',
          parentSpanId: bytesOf(span, 4)[0]?.toString('hex') ?? '',
          name: textOf(span, 5),
          startMs: msOf(numberOf(span, 7)),
          endMs: msOf(numberOf(span, 8)),
          attributes: attributesOf(span, 9),
          events: messagesOf(span, 11).map((event) => ({
            name: textOf(event, 2),
            atMs: msOf(numberOf(event, 1)),
            message: attributesOf(event, 3)['message'] ?? '',
          })),
          failure:
            status !== undefined && Number(numberOf(status, 3)) === ERROR ? textOf(status, 2) : undefined,
        };
      }),
    );
  });
}

function attributesOf(message: Fields, field: number): Record<string, string> {
  const pairs = messagesOf(message, field).flatMap((pair) => {
    const [value] = messagesOf(pair, 2);
    const texts = value === undefined ? [] : bytesOf(value, 1);
    return texts.map((text) => [textOf(pair, 1), text.toString('utf8')] as const);
  });
  return Object.fromEntries(pairs);
}

/** The parts of OTLP/JSON that are read. */
interface JsonAttributes {
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string };
  }[];
}
interface JsonSpan extends JsonAttributes {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly events?: readonly (JsonAttributes & { readonly name: string; readonly timeUnixNano: string })[];
  readonly status?: { readonly code?: number; readonly message?: string };
}
interface JsonRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: JsonAttributes;
    readonly scopeSpans?: readonly { readonly spans?: readonly JsonSpan[] }[];
  }[];
}

/** The same of a request in JSON. */
export function spansOfJson(request: string): ReceivedSpan[] {
  const { resourceSpans = [] } = JSON.parse(request) as JsonRequest;
  return resourceSpans.flatMap(({ resource = {}, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map(
        (span): ReceivedSpan => ({
          service: textsOf(resource)['service.name'] ?? '',
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? '',
          name: span.name,
          startMs: msOf(BigInt(span.startTimeUnixNano)),
          endMs: msOf(BigInt(span.endTimeUnixNano)),
          attributes: textsOf(span),
          events: (span.events ?? []).map((event) => ({
            name: event.name,
            atMs: msOf(BigInt(event.timeUnixNano)),
            message: textsOf(event)['message'] ?? '',
          })),
          failure: span.status?.code === ERROR ? (span.status.message ?? '') : undefined,
        }),
      ),
    ),
  );
}

function textsOf({ attributes = [] }: JsonAttributes): Record<string, string> {
  return Object.fromEntries(
    attributes.flatMap(({ key, value }) =>
      value.stringValue === undefined ? [] : [[key, value.stringValue]],
    ),
  );
}

function msOf(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}
