/** A message as it travels over TCP: its length in two bytes, then itself (RFC 1035, 4.2.2). */
export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Puts messages together out of the pieces in which TCP delivers them. Keeps no more than one message, 64 KiB. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete with this piece. */
  read(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= 2) {
      const end = 2 + rest.readUInt16BE(0);
      if (rest.length < end) break;
      messages.push(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return messages;
  }
}
