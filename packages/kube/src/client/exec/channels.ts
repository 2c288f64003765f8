import type { RawData } from 'ws';

/**
 * Channels of exec and attach over WebSocket: each message begins with the number of its channel; on `close`, a message
 * names a channel that ends (v5 only). (kubernetes, apimachinery `pkg/util/remotecommand/constants.go`)
 */
export const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** A message of one channel. */
export interface ChannelMessage {
  readonly channel: number;
  readonly data: Buffer;
}

/** The message that carries the bytes on a channel; pure. */
export function encodeMessage({ channel, data }: ChannelMessage): Buffer {
  const message = Buffer.allocUnsafe(data.length + 1);
  message[0] = channel;
  data.copy(message, 1);
  return message;
}

/** The channel and the bytes of a message; undefined for an empty one; pure. */
export function decodeMessage(message: Buffer): ChannelMessage | undefined {
  const [channel] = message;
  return channel === undefined ? undefined : { channel, data: message.subarray(1) };
}

/** The bytes of a message in one piece, as they are with ws' default binary type. */
export function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
