/** Something that has happened within a span: a step of a timeline. */
export interface SpanEvent {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Something that lasted, as a collector gets it when it is over. */
export interface SpanRecord {
  /** 16 hexadecimal digits, which follow from what the span is of. */
  readonly id: string;
  /** Absent: the root of its trace. */
  readonly parentId?: string | undefined;
  /** Program name of the span (`service.name`). */
  readonly service: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly events: readonly SpanEvent[];
  /** Why it is an error; absent: it is none. */
  readonly failure?: string | undefined;
}

/** Spans of one trace. */
export interface TraceRecord {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  readonly spans: readonly SpanRecord[];
}
