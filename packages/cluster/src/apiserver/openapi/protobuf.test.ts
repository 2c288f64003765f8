import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../object.ts';
import { encodeDocument } from './protobuf.ts';

/** Bytes as text: what can be read as it is, everything else as `<hex>`. */
function readable(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `<${byte.toString(16)}>`))
    .join('');
}

const table: [name: string, schema: Json, bytes: string][] = [
  ['a type', { type: 'string' }, `<b2><1><8><a><6>string`],
  ['several types', { type: ['a', 'b'] }, `<b2><1><6><a><1>a<a><1>b`],
  ['a reference', { $ref: '#/d/X' }, `<a><5>#/d/X`],
  ['items', { items: { format: 'y' } }, `<ba><1><5><a><3><12><1>y`],
  ['other properties: a schema', { additionalProperties: { format: 'y' } }, `<aa><1><5><a><3><12><1>y`],
  ['other properties: any', { additionalProperties: true }, `<aa><1><2><10><1>`],
  ['numbers', { maxLength: 300, minimum: 1 }, `X<ac><2>I<0><0><0><0><0><0><f0>?`],
  ['any values', { enum: ['a', 1] }, `<a2><1><5><12><3>"a"<a2><1><3><12><1>1`],
  ['names', { required: ['a', 'b'] }, `<9a><1><1>a<9a><1><1>b`],
  ['extensions', { 'x-k': [1] }, `<fa><1><c><a><3>x-k<12><5><12><3>[1]`],
  ['what has no place', { anyOf: [{}], 'y-k': 1 }, ``],
  ['what may be null', { type: 'object', nullable: true, title: 't' }, `<1a><1>t`],
];

for (const [name, schema, bytes] of table) {
  test(`definitions as protobuf: ${name}`, () => {
    const encoded = encodeDocument({ definitions: { D: schema } });
    // Definitions, the entry, its name, its value: each with a length.
    const [definitions, , entry, , ...rest] = encoded;
    assert.deepEqual([definitions, entry], [0x4a, 0x0a]);
    assert.deepEqual(rest.slice(0, 4), [0x0a, 1, 0x44, 0x12]);
    assert.equal(readable(encoded.subarray(9)), bytes);
  });
}

test('an operation says what it takes and which kind it is about', () => {
  const patch = { parameters: [{ name: 'dryRun', in: 'query' }], 'x-a': 1 };
  const encoded = readable(encodeDocument({ swagger: '2.0', paths: { '/p': { patch } } }));
  const parameter = 'B<15><a><13><12><11><1a><f>"<6>dryRun<12><5>query';
  assert.equal(encoded, `<a><3>2.0B-<12>+<a><2>/p<12>%B#${parameter}j<a><a><3>x-a<12><3><12><1>1`);
});
