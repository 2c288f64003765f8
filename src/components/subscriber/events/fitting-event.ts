import type { RunEvent, RunNode } from './run-event.ts';

/** More than a server's database takes in one piece is not sent. */
const MAX_EVENT_BYTES = 12 * 1024 * 1024;

/** An event as it is stored, and what had to be left out of it. */
interface FittingEvent {
  readonly body: Buffer;
  /** Undefined: nothing. */
  readonly leftOut: string | undefined;
}

/**
 * The bytes of an event, within a limit: first it drops the results but for their verdicts, then the nodes that are neither engines nor
 * the root. A run of thousands of nodes is reported with less rather than never. Pure.
 * @param limitBytes of the spool, of which an event may take half
 */
export function fittingEvent(event: RunEvent, limitBytes: number): FittingEvent {
  const most = Math.min(MAX_EVENT_BYTES, limitBytes / 2);
  const whole = bytesOf(event);
  if (whole.length <= most) return { body: whole, leftOut: undefined };
  const nodes = Object.entries(event.nodes);
  const slim = bytesOf({ ...event, nodes: Object.fromEntries(nodes.map(withoutResult)) });
  if (slim.length <= most) return { body: slim, leftOut: 'chaosResult of its engines' };
  const engines = nodes.filter(([id, { chaosData }]) => chaosData !== undefined || id === event.name);
  const least = bytesOf({ ...event, nodes: Object.fromEntries(engines.map(withoutResult)) });
  if (least.length <= most) return { body: least, leftOut: 'nodes that are no engines' };
  return { body: bytesOf({ ...event, nodes: {} }), leftOut: 'its nodes' };
}

function bytesOf(event: RunEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

function withoutResult([id, node]: readonly [string, RunNode]): readonly [string, RunNode] {
  const { chaosData } = node;
  return [id, chaosData === undefined ? node : { ...node, chaosData: { ...chaosData, chaosResult: null } }];
}
