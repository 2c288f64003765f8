import type { EventText } from '../runtime/event-recorder.ts';

/** An Event a decision wants recorded on the object it is about. */
export type EventNote = Pick<EventText, 'type' | 'reason' | 'message'>;

/** The earlier of two waits. */
export function earlier(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : Math.min(left, right);
}
