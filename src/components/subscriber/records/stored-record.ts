import type { Operation } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';

/** The members of a record's operation beside the bytes. */
interface RecordHead {
  readonly record: {
    /** UID of the run's object. */
    readonly run: string;
    /** Which object it is of. */
    readonly object: string;
  };
}

const NEWLINE = 0x0a;
/** How a stored line begins that holds a record and not the state of a run. */
const MARK = Buffer.from('{"record":');

/** A record as it lies in the spool: a line of what its operation says, then its bytes. Pure. */
export function storedRecord(run: string, object: string, bytes: Buffer): Buffer {
  const head: RecordHead = { record: { run, object } };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
}

/** Reads a line of {@link storedRecord}; undefined for any other line. Pure. */
export function readStoredRecord(
  body: Buffer,
): { readonly run: string; readonly object: string; readonly bytes: Buffer } | undefined {
  if (!body.subarray(0, MARK.length).equals(MARK)) return undefined;
  const end = body.indexOf(NEWLINE);
  const { record } = JSON.parse(body.toString('utf8', 0, end)) as RecordHead;
  return { ...record, bytes: body.subarray(end + 1) };
}

/** Under which key of the spool the records of an object wait. */
export function recordKey(run: string, object: string): string {
  return `record ${run} ${object}`;
}

/** The object of such a key; undefined for a key of something else. Pure. */
export function objectOfKey(key: string): string | undefined {
  const [kind, , object] = key.split(' ');
  return kind === 'record' ? object : undefined;
}

const DOCUMENT = `mutation RunRecord($request: RunRecordRequest!) { runRecord(request: $request) }`;

/** The operation that reports a record to a server. */
export function runRecordOperation(run: string, bytes: Buffer, infraID: InfraIdentity): Operation {
  const request = { infraID, experimentRunID: run, record: bytes.toString('base64') };
  return { query: DOCUMENT, variables: { request } };
}
