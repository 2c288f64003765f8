import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { type DnsQuery, RCODE, readQuery, writeAnswer } from './message.ts';

function question(packet: Packet = {}): Buffer {
  return encode({ id: 7, type: 'query', questions: [{ type: 'A', name: 'Web.shop' }], ...packet });
}

function query(packet: Packet = {}): DnsQuery {
  const incoming = readQuery(question(packet));
  assert.equal(incoming.kind, 'query');
  return incoming.query;
}

function edns(udpPayloadSize: number): Answer {
  const rest = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] };
  return { name: '.', type: 'OPT', udpPayloadSize, ...rest };
}

test('a question is read as it came', () => {
  const read = query({ flags: 0x0100, additionals: [edns(4096)] });
  assert.deepEqual(read.question, { name: 'Web.shop', type: 'A' });
  assert.equal(read.isRecursionDesired, true);
  assert.equal(read.payloadBytes, 4096);
  assert.equal(query().payloadBytes, undefined);
});

/** A question with the bytes at a place replaced. */
function changed(at: number, ...bytes: number[]): Buffer {
  const message = Buffer.from(question());
  for (const [offset, byte] of bytes.entries()) message[at + offset] = byte;
  return message;
}

const refusals: [name: string, message: Buffer, rcode: number | 'ignored'][] = [
  ['nothing', Buffer.alloc(0), 'ignored'],
  ['less than a header', Buffer.alloc(11), 'ignored'],
  ['an answer', encode({ type: 'response', questions: [{ type: 'A', name: 'a' }] }), 'ignored'],
  ['no question', encode({ type: 'query' }), RCODE.malformed],
  ['more questions than one', changed(4, 0, 2), RCODE.malformed],
  ['more questions than there is room for', changed(4, 0xff, 0xff), RCODE.malformed],
  ['answers in a question', changed(6, 0, 1), RCODE.malformed],
  ['many additional records', changed(10, 0xff, 0xff), RCODE.malformed],
  ['an additional record that is not there', changed(10, 0, 1), RCODE.malformed],
  ['a pointer to itself', changed(12, 0xc0, 12), RCODE.malformed],
  ['a label longer than the message', changed(12, 63), RCODE.malformed],
  ['a question cut short', question().subarray(0, -1), RCODE.malformed],
  ['an update', changed(2, 0x28), RCODE.notImplemented],
  ['another class', changed(question().length - 2, 0, 3), RCODE.refused],
];

for (const [name, message, rcode] of refusals) {
  test(`refused: ${name}`, () => {
    const incoming = readQuery(message);
    if (rcode === 'ignored') return assert.equal(incoming.kind, 'ignored');
    assert.equal(incoming.kind, 'refused');
    const response = decode(incoming.response);
    assert.equal((response.flags ?? 0) & 0xf, rcode);
    assert.equal(response.flag_qr, true);
    assert.equal(response.id, message.readUInt16BE(0));
  });
}

test('whatever the bytes are, reading them does no harm', () => {
  const valid = question({ additionals: [edns(1232)] });
  const damaged = fc
    .array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 8 })
    .map((changes) => {
      const message = Buffer.from(valid);
      for (const [at, byte] of changes) message[at] = byte;
      return message;
    });
  const anything = fc.oneof(
    damaged,
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(anything, (message) => {
      const incoming = readQuery(message);
      if (incoming.kind !== 'query') return;
      const written = writeAnswer(incoming.query, { rcode: RCODE.unknown, isAuthoritative: true }, 'udp');
      assert.equal(written.readUInt16BE(0), message.readUInt16BE(0));
    }),
  );
});

const addresses = (count: number): Answer[] =>
  Array.from({ length: count }, (_, at) => ({
    name: 'web.shop',
    type: 'A',
    ttl: 5,
    data: `10.0.${at >> 8}.${at & 255}`,
  }));

const sizes: [
  name: string,
  count: number,
  size: number | undefined,
  transport: 'udp' | 'tcp',
  kept: number,
][] = [
  ['a few', 3, undefined, 'udp', 3],
  ['too many without EDNS', 100, undefined, 'udp', 30],
  ['as many as the client hears', 100, 1000, 'udp', 60],
  ['never more than passes a network', 100, 65_000, 'udp', 74],
  ['a size below the least counts as that', 100, 10, 'udp', 29],
  ['all of them over TCP', 100, undefined, 'tcp', 100],
];

for (const [name, count, size, transport, kept] of sizes) {
  test(`size of an answer: ${name}`, () => {
    const asked = query(size === undefined ? {} : { additionals: [edns(size)] });
    const bytes = writeAnswer(
      asked,
      { rcode: 0, isAuthoritative: true, answers: addresses(count) },
      transport,
    );
    const packet = decode(bytes);
    assert.equal(packet.answers?.length, kept);
    assert.equal(packet.flag_tc, kept < count);
    assert.deepEqual(packet.answers?.map((answer) => answer.name)[0], 'Web.shop');
    assert.equal(packet.additionals?.length, size === undefined ? 0 : 1);
    if (transport === 'udp') assert.ok(bytes.length <= Math.min(Math.max(size ?? 512, 512), 1232));
  });
}

test('additional records that do not fit are left out without a word', () => {
  const answers = addresses(29);
  const asked = query();
  const packet = decode(
    writeAnswer(asked, { rcode: 0, isAuthoritative: true, answers, additionals: addresses(9) }, 'udp'),
  );
  assert.equal(packet.flag_tc, false);
  assert.equal(packet.answers?.length, 29);
  assert.equal(packet.additionals?.length, 1);
});
