import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpentPieces } from './spent-pieces.ts';

const PIECE = 64 * 1024;

test('pieces that were handed on are freed before they are many', () => {
  const pieces = new SpentPieces();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 1_000; count += 1) {
    pieces.add(Buffer.alloc(PIECE).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  // Together they have 64 MB.
  assert.ok(most < 16e6, `${most} bytes were held`);
});
