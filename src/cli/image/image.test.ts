import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanBytes } from './human-bytes.ts';
import { progressLine } from './image-progress.ts';

const BYTES: readonly (readonly [bytes: number, text: string])[] = [
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [102_348, '99.9 KiB'],
  [102_400, '100 KiB'],
  [2 ** 20 - 1, '1.0 MiB'],
  [5 * 2 ** 30, '5.0 GiB'],
  [2 ** 60, '1048576 TiB'],
];

for (const [bytes, text] of BYTES)
  test(`${bytes} bytes are ${text}`, () => assert.equal(humanBytes(bytes), text));

test('how far an image is', () => {
  const counts = { doneBytes: 1_048_576, totalBytes: 3_145_728, doneLayers: 1, totalLayers: 3 };
  assert.equal(
    progressLine('a', { step: 'download', ...counts }),
    'a: downloaded 1.0 MiB of 3.0 MiB, 1 of 3 layers',
  );
  assert.equal(
    progressLine('a', { step: 'unpack', ...counts }),
    'a: unpacked 1.0 MiB of 3.0 MiB, 1 of 3 layers',
  );
  assert.equal(progressLine('a', { step: 'resolve', ...counts }), 'a: the registry is asked');
});
