import { createHash } from 'node:crypto';
import { parseObject } from '@turnsole/kube/text/json';

/** A span as it is handed on to what happens below it (W3C Trace Context). */
interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the collector keeps spans of the trace. */
  readonly isSampled: boolean;
}

/** Upstream's programs ignore longer values. */
const LONGEST = 1024;

/** Versions to come may have more fields behind those of this one. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Reads a trace context: JSON with a member `traceparent`, as upstream's TRACE_PARENT, or W3C's `traceparent` itself. Undefined for
 * everything else: a trace that cannot be read must not keep a run from happening. Pure.
 */
export function parseTraceParent(text: string): TraceContext | undefined {
  const { traceparent } = membersOf(text);
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** W3C's `traceparent`. Pure. */
export function formatTraceParent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * The value of TRACE_PARENT for what happens below a span: JSON as upstream's programs read it.
 *
 * @param received TRACE_PARENT as it came, whose `tracestate` and `baggage` go on as they are; they are left out where the whole would
 *   be longer than 1024 bytes
 */
export function handOnTrace(context: TraceContext, received = ''): string {
  const traceparent = formatTraceParent(context);
  const { tracestate, baggage } = membersOf(received);
  // JSON leaves undefined members out.
  const whole = JSON.stringify({ traceparent, tracestate, baggage });
  return Buffer.byteLength(whole) < LONGEST ? whole : JSON.stringify({ traceparent });
}

/** Where the spans of something belong. */
export interface Trace {
  readonly traceId: string;
  readonly isSampled: boolean;
  /** Span of who caused it; absent where it is a trace of its own. */
  readonly parentSpanId?: string;
}

/** The trace of what was caused by a span, if `received` names one; else one of its own, whose id follows from the name. Pure. */
export function traceBelow(received: string, name: string): Trace {
  const parent = parseTraceParent(received);
  if (parent === undefined) return { traceId: traceIdOf(name), isSampled: true };
  return { traceId: parent.traceId, isSampled: parent.isSampled, parentSpanId: parent.spanId };
}

/** The id of a trace that a text identifies: of a UUID its digits, so that people find the trace by it. Pure. */
export function traceIdOf(name: string): string {
  const digits = name.replaceAll('-', '').toLowerCase();
  if (/^(?!0+$)[0-9a-f]{32}$/.test(digits)) return digits;
  return digest(name).slice(0, 32);
}

/** The id of a span that a text identifies: a process that knows the text knows the id, also after a restart. Pure. */
export function spanIdOf(name: string): string {
  return digest(name).slice(0, 16);
}

function membersOf(
  text: string,
): Readonly<Record<'traceparent' | 'tracestate' | 'baggage', string | undefined>> {
  const trimmed = text.trim();
  const members = trimmed.startsWith('{') ? (parseObject(trimmed) ?? {}) : { traceparent: trimmed };
  const member = (name: string): string | undefined => {
    const value = members[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { traceparent: member('traceparent'), tracestate: member('tracestate'), baggage: member('baggage') };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
