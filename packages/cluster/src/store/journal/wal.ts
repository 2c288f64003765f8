/**
 * Reads SQLite's write-ahead log as far as needed to distinguish a torn end from damage. Source: sqlite.org/walformat.html
 *
 * SQLite itself ends its recovery at the first frame that does not fit, and drops everything after it without a word.
 * After a crash that is right: the last transaction was being written. In the middle it is not: what follows was
 * acknowledged. As one transaction is synced before the next one is begun, only the last one may be torn.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** The state of a log: complete or torn at its end (fine), or damaged in a way that no crash can cause. */
type WalState =
  | { readonly state: 'sound'; readonly frames: number }
  | { readonly state: 'damaged'; readonly frame: number; readonly why: string };

/** Judges a log; pure. */
export function inspectWal(log: Buffer): WalState {
  if (log.length < HEADER_BYTES + FRAME_HEADER_BYTES) return { state: 'sound', frames: 0 };
  const magic = log.readUInt32BE(0);
  const pageSize = log.readUInt32BE(8);
  const isBig = magic === MAGIC + 1;
  const seed = checksum(log.subarray(0, 24), [0, 0], isBig);
  const isHeaderSound =
    (magic === MAGIC || isBig) && seed[0] === log.readUInt32BE(24) && seed[1] === log.readUInt32BE(28);
  if (!isHeaderSound || pageSize < 512) return { state: 'damaged', frame: 0, why: 'its header is damaged' };
  const size = FRAME_HEADER_BYTES + pageSize;
  const count = Math.floor((log.length - HEADER_BYTES) / size);
  const frame = (index: number): Buffer =>
    log.subarray(HEADER_BYTES + index * size, HEADER_BYTES + (index + 1) * size);
  let sums = seed;
  let index = 0;
  for (; index < count; index += 1) {
    const bytes = frame(index);
    if (!isOfThisLog(bytes, log)) break;
    sums = checksum(bytes.subarray(FRAME_HEADER_BYTES), checksum(bytes.subarray(0, 8), sums, isBig), isBig);
    if (sums[0] !== bytes.readUInt32BE(16) || sums[1] !== bytes.readUInt32BE(20)) break;
  }
  return judgeRest(index, count, (at) => frame(at), log);
}

/** Frames after the first bad one: those of one transaction are a torn end, those of a second one were synced before. */
function judgeRest(bad: number, count: number, frame: (index: number) => Buffer, log: Buffer): WalState {
  let hasCommit = false;
  for (let index = bad; index < count; index += 1) {
    const bytes = frame(index);
    if (!isOfThisLog(bytes, log)) continue;
    if (hasCommit) {
      return {
        state: 'damaged',
        frame: bad + 1,
        why: `frame ${bad + 1} of ${count} is damaged, and more follows it`,
      };
    }
    hasCommit = bytes.readUInt32BE(4) !== 0;
  }
  return { state: 'sound', frames: bad };
}

/** Whether a frame was written since the log was begun anew: it has the log's salts. */
function isOfThisLog(frame: Buffer, log: Buffer): boolean {
  return frame.compare(log, 16, 24, 8, 16) === 0;
}

/** The log's running checksum over 32-bit words. */
function checksum(
  bytes: Buffer,
  [first, second]: readonly [number, number],
  isBig: boolean,
): [number, number] {
  let a = first;
  let b = second;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBig) + b) >>> 0;
    b = (b + view.getUint32(at + 4, !isBig) + a) >>> 0;
  }
  return [a, b];
}
