import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { flushed } from './flushed.ts';

/** A stream whose reader takes what is written only when a test lets it. */
function held(): { readonly stream: Writable; readonly taken: string[]; take(error?: Error): void } {
  const taken: string[] = [];
  let next: ((error?: Error) => void) | undefined;
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      next = (error) => {
        if (error === undefined) taken.push(chunk.toString());
        done(error);
      };
    },
  });
  return { stream, taken, take: (error) => next?.(error) };
}

test('waits until the reader has taken what was written', async () => {
  const { stream, taken, take } = held();
  stream.write('report');
  let isOver = false;
  const over = flushed(stream).then(() => {
    isOver = true;
  });
  await Promise.resolve();
  assert.equal(isOver, false);
  take();
  await new Promise(setImmediate);
  take();
  await over;
  assert.equal(taken[0], 'report');
});

test('a reader that has gone is not waited for', async () => {
  const { stream, take } = held();
  stream.write('report');
  const over = flushed(stream);
  take(new Error('EPIPE'));
  await over;
});

test('nothing is written where nothing is left', async () => {
  const { stream } = held();
  await flushed(stream);
  assert.equal(stream.writableLength, 0);
});
