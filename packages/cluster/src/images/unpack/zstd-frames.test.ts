import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { tempFolder } from '../testing/temp-folder.ts';
import { compressionOf, expandLayer } from './expand.ts';
import { zstdFrames } from './zstd-frames.ts';

const folder = tempFolder();
const skippable = (bytes: number): Buffer => {
  const frame = Buffer.alloc(8 + bytes);
  frame.writeUInt32LE(0x184d2a5e, 0);
  frame.writeUInt32LE(bytes, 4);
  return frame;
};
const { ZSTD_c_checksumFlag: CHECKSUM, ZSTD_c_contentSizeFlag: SIZE } = constants;
/** Contents whose frames have headers and blocks of every kind: none, one byte, repeated bytes, noise, many blocks. */
const CONTENTS = [
  Buffer.alloc(0),
  Buffer.from('a'),
  Buffer.alloc(3_000_000, 'a'),
  randomBytes(300),
  randomBytes(700_000),
  Buffer.concat([randomBytes(200_000), Buffer.alloc(500_000)]),
];

async function expand(bytes: Buffer): Promise<Buffer> {
  const path = join(folder, 'layer');
  writeFileSync(path, bytes);
  const pieces: Buffer[] = [];
  for await (const piece of expandLayer(path, () => {})) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('frames of every kind, one after another, are expanded as one', async () => {
  const frames = CONTENTS.flatMap((content) =>
    [0, 1].flatMap((flag) => [
      zstdCompressSync(content, { params: { [CHECKSUM]: flag, [SIZE]: 1 - flag } }),
      skippable(flag * 100_000),
    ]),
  );
  const expected = CONTENTS.flatMap((content) => [content, content]);
  const bytes = Buffer.concat([skippable(3), ...frames]);
  assert.equal(compressionOf(bytes), 'zstd');
  assert.ok((await expand(bytes)).equals(Buffer.concat(expected)));
  const read = (position: number, length: number): Buffer => bytes.subarray(position, position + length);
  assert.equal([...zstdFrames(bytes.length, read)].length, frames.length + 1);
});

test('members of gzip, one after another, are expanded as one', async () => {
  const bytes = Buffer.concat(CONTENTS.map((content) => gzipSync(content)));
  assert.ok((await expand(bytes)).equals(Buffer.concat(CONTENTS)));
});

for (const [name, compress] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`${name} that ends too early is found out wherever it ends`, async () => {
    const whole = compress(randomBytes(2_000));
    for (const left of [whole.length - 1, whole.length - 9, 1_000, 9]) {
      await assert.rejects(
        expand(whole.subarray(0, left)),
        { name: 'LayerProblem', code: 'wrong-content' },
        String(left),
      );
    }
  });
}

test('other compressions are named', () => {
  const first = (hex: string): Buffer => Buffer.from(hex, 'hex');
  assert.throws(() => compressionOf(first('425a68393141')), { code: 'unsupported', message: /bzip2/ });
  assert.throws(() => compressionOf(first('fd377a585a00')), { code: 'unsupported', message: /xz/ });
  assert.equal(compressionOf(first('')), 'none');
});
