import type { WantedLog } from './log-request.ts';
import type { Outcome } from './outcome.ts';

/** Sends one piece; gives the reason when sending more is of no use. */
type SendPiece = (log: WantedLog | undefined, text: string, isLast: boolean) => Promise<Outcome | undefined>;

/** A piece is sent with this much: less than a socket gives at a time, so that mostly one text makes one piece and none is copied. */
const PIECE_BYTES = 32 * 1024;

/**
 * Sends one log, which arrives in texts of whole lines, in pieces. While a piece is under way the next one fills up, and when that is
 * full, reading pauses: however long the log is, two pieces are in memory. A reader who follows the log gets a line at once, and lines
 * that arrive meanwhile together.
 * @returns why no more is sent; undefined when all of it was
 */
export async function sendTexts(
  texts: AsyncIterable<string>,
  log: WantedLog,
  isFollowing: boolean,
  send: SendPiece,
): Promise<Outcome | undefined> {
  let gathered: string[] = [];
  let bytes = 0;
  let sending: Promise<void> | undefined;
  let failure: Outcome | undefined;
  const flush = (): void => {
    const text = gathered.join('');
    gathered = [];
    bytes = 0;
    sending = send(log, text, false).then((failed) => {
      sending = undefined;
      failure ??= failed;
      if (isFollowing && bytes > 0 && failure === undefined) flush();
    });
    // Waited for below; until then it must not end the process.
    sending.catch(() => {});
  };
  try {
    for await (const part of texts) {
      if (failure !== undefined) return failure;
      gathered.push(part);
      bytes += Buffer.byteLength(part);
      while (bytes >= PIECE_BYTES && sending !== undefined) await sending;
      if (bytes >= PIECE_BYTES || (isFollowing && sending === undefined)) flush();
    }
  } finally {
    while (sending !== undefined) await sending;
    if (bytes > 0 && failure === undefined) flush();
    while (sending !== undefined) await sending;
  }
  return failure;
}
