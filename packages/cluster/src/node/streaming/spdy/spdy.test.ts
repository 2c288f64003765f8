import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { constants, createDeflate, createInflate, type Deflate } from 'node:zlib';
import fc from 'fast-check';
import { DICTIONARY } from './dictionary.ts';
import {
  type ControlFrame,
  type DataPart,
  encodeControl,
  encodeData,
  FLAG_FIN,
  FRAME_TYPES,
  FrameReader,
  SpdyError,
  words,
} from './frames.ts';
import { formatHeaders, HeaderReader, HeaderWriter, parseHeaders } from './header-block.ts';
import { SpdySession } from './session.ts';
import type { SpdyStream } from './stream.ts';

test('the dictionary is that of SPDY/3', () => {
  let a = 1;
  let b = 0;
  for (const byte of DICTIONARY) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  assert.equal(((b * 65_536 + a) >>> 0).toString(16), 'e3c6a7c2');
});

test('frames are read however their bytes are cut', () => {
  const frame = fc.oneof(
    fc.record({
      type: fc.integer({ min: 1, max: 9 }),
      flags: fc.nat(3),
      payload: fc.uint8Array({ maxLength: 40 }),
    }),
    fc.record({
      id: fc.integer({ min: 1, max: 0x7fffffff }),
      fin: fc.boolean(),
      data: fc.uint8Array({ maxLength: 40 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.integer({ min: 1, max: 30 }), (frames, cut) => {
      const bytes = Buffer.concat(
        frames.map((each) =>
          'type' in each
            ? encodeControl(each.type, each.flags, Buffer.from(each.payload))
            : encodeData(each.id, Buffer.from(each.data), each.fin),
        ),
      );
      const reader = new FrameReader();
      const seen: string[] = [];
      for (let at = 0; at < bytes.length; at += cut) {
        for (const part of reader.push(bytes.subarray(at, at + cut))) seen.push(show(part));
      }
      // Parts of one data frame come in a row; joined, they are the frame.
      const expected = frames.map((each) =>
        'type' in each
          ? `control ${each.type} ${each.flags} ${Buffer.from(each.payload).toString('hex')}`
          : `data ${each.id} ${Buffer.from(each.data).toString('hex')}`,
      );
      assert.equal(collapse(seen), collapse(expected));
    }),
  );
});

function show(part: ControlFrame | DataPart): string {
  return part.kind === 'control'
    ? `control ${part.type} ${part.flags} ${part.payload.toString('hex')}`
    : `data ${part.streamId} ${part.data.toString('hex')}`;
}

/** Neighbouring data of the same stream is one text. */
function collapse(lines: readonly string[]): string {
  const joined: string[] = [];
  for (const line of lines) {
    const [kind, id, data = ''] = line.split(' ');
    const last = joined.at(-1);
    if (kind === 'data' && last?.startsWith(`data ${id} `)) joined[joined.length - 1] = last + data;
    else joined.push(line);
  }
  return joined.join('\n');
}

test('a data frame says that it is the last with its last bytes', () => {
  const bytes = encodeData(3, Buffer.from('abcd'), true);
  const reader = new FrameReader();
  const parts = [...reader.push(bytes.subarray(0, 10)), ...reader.push(bytes.subarray(10))];
  assert.deepEqual(
    parts.map((part) => part.kind === 'data' && [part.data.toString(), part.fin]),
    [
      ['ab', false],
      ['cd', true],
    ],
  );
  assert.deepEqual([...reader.push(encodeData(3, Buffer.alloc(0), true))].length, 1);
});

test('what is no SPDY is refused', () => {
  assert.throws(() => [...new FrameReader().push(Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]))], SpdyError);
  assert.throws(() => [...new FrameReader().push(Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0, 0]))], SpdyError);
  assert.throws(() => parseHeaders(Buffer.from([0, 0, 0, 9])), SpdyError);
  assert.throws(() => parseHeaders(words(1, 0xffffffff)), SpdyError);
});

/** Compresses as clients do: one stream for all blocks, flushed after each. */
class ClientHeaders {
  readonly #deflate: Deflate = createDeflate({
    dictionary: DICTIONARY,
    flush: constants.Z_SYNC_FLUSH,
    level: 9,
  });
  #pieces: Buffer[] = [];

  constructor() {
    this.#deflate.on('data', (piece: Buffer) => this.#pieces.push(piece));
  }

  async write(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    await new Promise<void>((resolve) => {
      this.#deflate.write(formatHeaders(new Map(Object.entries(headers))), () => resolve());
    });
    return Buffer.concat(this.#pieces.splice(0));
  }
}

test('headers of clients are read, block after block', async () => {
  const client = new ClientHeaders();
  const reader = new HeaderReader();
  const blocks: readonly Readonly<Record<string, string>>[] = [
    { Streamtype: 'error' },
    { streamtype: 'data', port: '80', requestid: '0' },
    {},
  ];
  for (const headers of blocks) {
    const expected = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    assert.deepEqual([...(await reader.read(await client.write(headers)))], expected);
  }
  reader.close();
});

test('headers that grow without end are refused, and so is what is not compressed', async () => {
  const client = new ClientHeaders();
  const bomb = await client.write({ a: 'x'.repeat(1024 * 1024) });
  assert.ok(bomb.length < 4096);
  await assert.rejects(new HeaderReader().read(bomb), SpdyError);
  await assert.rejects(new HeaderReader().read(Buffer.from('no zlib at all')), SpdyError);
});

test('headers of the server can be decompressed block by block', async () => {
  const inflate = createInflate({ dictionary: DICTIONARY });
  const writer = new HeaderWriter();
  for (const headers of [new Map([['a', 'b']]), new Map<string, string>()]) {
    inflate.write(writer.write(headers));
    const [block] = await once(inflate, 'data');
    assert.deepEqual(parseHeaders(block), headers);
  }
  inflate.destroy();
});

/** A session whose other end the test holds. */
function open(accepts: (stream: SpdyStream) => boolean): {
  readonly far: Duplex;
  readonly session: SpdySession;
  readonly ended: Promise<void>;
  send(id: number, headers: Readonly<Record<string, string>>, flags?: number): Promise<void>;
  /** The next frame of the server. */
  next(): Promise<ControlFrame | DataPart>;
} {
  const [near, far] = duplexPair();
  const session = new SpdySession(near, Buffer.alloc(0));
  const ended = session.run(accepts);
  const client = new ClientHeaders();
  const reader = new FrameReader();
  const frames = (async function* () {
    for await (const chunk of far) yield* reader.push(chunk);
  })();
  return {
    far,
    session,
    ended,
    send: async (id, headers, flags = 0) => {
      const payload = Buffer.concat([words(id, 0), Buffer.alloc(2), await client.write(headers)]);
      far.write(encodeControl(FRAME_TYPES.synStream, flags, payload));
    },
    next: async () => {
      const { value } = await frames.next();
      assert.ok(value);
      return value;
    },
  };
}

function typeOf(frame: ControlFrame | DataPart): number | undefined {
  return frame.kind === 'control' ? frame.type : undefined;
}

test('a stream carries bytes both ways, and each way ends by itself', async () => {
  const { promise, resolve } = Promise.withResolvers<SpdyStream>();
  const peer = open((stream) => {
    resolve(stream);
    return true;
  });
  await peer.send(1, { streamtype: 'data' });
  const stream = await promise;
  assert.equal(stream.headers.get('streamtype'), 'data');
  assert.equal(typeOf(await peer.next()), FRAME_TYPES.synReply);
  peer.far.write(encodeData(1, Buffer.from('to the '), false));
  peer.far.write(encodeData(1, Buffer.from('server'), true));
  assert.equal(await text(stream), 'to the server');
  stream.end('to the client');
  const [data, fin] = [await peer.next(), await peer.next()];
  assert.ok(data.kind === 'data' && fin.kind === 'data');
  assert.equal(data.data.toString(), 'to the client');
  assert.deepEqual([data.fin, fin.fin], [false, true]);
  peer.far.write(encodeControl(FRAME_TYPES.ping, 0, words(7)));
  const pong = await peer.next();
  assert.ok(pong.kind === 'control' && pong.type === FRAME_TYPES.ping && pong.payload.readUInt32BE() === 7);
  peer.far.end();
  await peer.ended;
});

test('streams that are not wanted are reset; the others live on', async () => {
  const peer = open((stream) => stream.headers.get('streamtype') === 'good');
  await peer.send(1, { streamtype: 'bad' });
  const reset = await peer.next();
  assert.ok(reset.kind === 'control' && reset.type === FRAME_TYPES.rstStream);
  await peer.send(3, { streamtype: 'good' }, FLAG_FIN);
  assert.equal(typeOf(await peer.next()), FRAME_TYPES.synReply);
  peer.far.end();
  await peer.ended;
});

test('a client that breaks the rules is sent away, and its streams end', async () => {
  const { promise, resolve } = Promise.withResolvers<SpdyStream>();
  const peer = open((stream) => {
    resolve(stream);
    return true;
  });
  await peer.send(3, { streamtype: 'data' });
  const stream = await promise;
  assert.equal(typeOf(await peer.next()), FRAME_TYPES.synReply);
  await peer.send(2, { streamtype: 'data' });
  const closed = once(stream, 'close');
  await peer.ended;
  await closed;
  const rest = [typeOf(await peer.next()), typeOf(await peer.next())];
  assert.deepEqual(rest, [FRAME_TYPES.goAway, FRAME_TYPES.rstStream]);
});

test('data of the client waits while it is not read', async () => {
  const { promise, resolve } = Promise.withResolvers<SpdyStream>();
  const peer = open((stream) => {
    resolve(stream);
    return true;
  });
  await peer.send(1, { streamtype: 'data' });
  const stream = await promise;
  const piece = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < 64; sent++) {
    peer.far.write(encodeData(1, piece, false));
    await new Promise((turn) => setImmediate(turn));
  }
  assert.ok(stream.readableLength <= 512 * 1024, `${stream.readableLength} bytes are kept`);
  stream.resume();
  peer.far.end(encodeData(1, Buffer.alloc(0), true));
  await once(stream, 'end');
  stream.destroy();
});
