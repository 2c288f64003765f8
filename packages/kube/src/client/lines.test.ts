import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter, WholeLines } from './lines.ts';

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

test('texts of whole lines hold every byte, end with a line, and do not depend on where the chunks are cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '漢', '🌻', '\r'), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 12 }), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const edges = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const splitter = new WholeLines(1_000);
      const texts: string[] = [];
      for (let index = 1; index < edges.length; index++) {
        const lines = splitter.push(bytes.subarray(edges[index - 1], edges[index]));
        if (lines !== undefined) texts.push(lines);
      }
      const rest = splitter.end();
      if (rest !== undefined) texts.push(rest);
      assert.ok(texts.every((one) => one.endsWith('\n')));
      assert.equal(texts.join(''), whole === '' || whole.endsWith('\n') ? whole : `${whole}\n`);
    }),
  );
});

test('a line that does not end comes in parts, none of them within a character', () => {
  const bytes = Buffer.from('aé漢🌻'.repeat(20));
  for (const [length, most] of [1, 2, 3, 5, 7].flatMap((one) =>
    [16, 17, 18, 19].map((two) => [one, two] as const),
  )) {
    const splitter = new WholeLines(most);
    const texts: (string | undefined)[] = [];
    for (let at = 0; at < bytes.length; at += length)
      texts.push(splitter.push(bytes.subarray(at, at + length)));
    assert.ok(texts.filter((one) => one !== undefined).length > 5, `chunks of ${length}`);
    assert.ok(texts.every((one) => one?.includes('\ufffd') !== true));
    assert.equal([...texts, splitter.end()].join(''), `${'aé漢🌻'.repeat(20)}\n`, `chunks of ${length}`);
  }
});
