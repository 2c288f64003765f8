import type { IncomingMessage } from 'node:http';

/** A request is larger than its server takes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Reads the body of a request, at most so many bytes of it. Further bytes are not read, so that the connection can be
 * answered, but not used again.
 *
 * @throws BodyTooLargeError · Error when the client leaves before its request is complete
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= maxBytes) {
        pieces.push(piece);
        return;
      }
      request.pause();
      request.removeAllListeners('data');
      reject(new BodyTooLargeError(`the request is larger than ${maxBytes} bytes`));
    });
    request.once('end', () => resolve(Buffer.concat(pieces).toString()));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away before its request was complete')));
  });
}
