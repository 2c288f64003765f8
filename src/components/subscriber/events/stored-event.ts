import { isOver, type RunEvent } from './run-event.ts';

/** The members of an event's operation beside the whole event. */
interface StoredHead
  extends Pick<RunEvent, 'experimentID' | 'uid' | 'name' | 'revisionID' | 'notifyID' | 'updatedBy'> {
  readonly isOver: boolean;
}

const NEWLINE = 0x0a;

/** An event as it lies in the spool: a line of what its operation says, then the whole, which is sent as it is and not parsed again. Pure. */
export function storedEvent(event: RunEvent, json: Buffer): Buffer {
  const { experimentID, uid, name, revisionID, notifyID, updatedBy } = event;
  const head: StoredHead = {
    experimentID,
    uid,
    name,
    revisionID,
    notifyID,
    updatedBy,
    isOver: isOver(event),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), json]);
}

/** Both parts of what {@link storedEvent} has made. Pure. */
export function readStoredEvent(body: Buffer): { readonly head: StoredHead; readonly json: Buffer } {
  // No line end stands within JSON that JSON.stringify has made.
  const end = body.indexOf(NEWLINE);
  return { head: JSON.parse(body.toString('utf8', 0, end)) as StoredHead, json: body.subarray(end + 1) };
}
