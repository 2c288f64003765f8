import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './lines.ts';

test('lines do not depend on where the chunks are cut, not even inside a character', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '漢', '🌻', '\r'), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 12 }), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const edges = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const splitter = new LineSplitter();
      const lines: string[] = [];
      for (let index = 1; index < edges.length; index++) {
        lines.push(...splitter.push(bytes.subarray(edges[index - 1], edges[index])));
      }
      const expected = whole.split('\n');
      const rest = expected.pop();
      assert.deepEqual(lines, expected);
      assert.equal(splitter.end() ?? '', rest);
    }),
  );
});

test('with a limit a long line comes in pieces, and short ones stay whole', () => {
  const splitter = new LineSplitter(4);
  const chunks = ['a\nbb', 'cc', 'dd\ne', '\n', 'ffffff'];
  const pieces = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  assert.deepEqual(pieces, ['a', 'bbcc', 'dd', 'e', 'ffffff']);
  assert.equal(splitter.end(), undefined);
});
