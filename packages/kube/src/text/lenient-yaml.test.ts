import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLenient } from './lenient-yaml.ts';

const READ: readonly { readonly name: string; readonly text: string; readonly value: unknown }[] = [
  { name: 'a number with a leading zero as eight-based', text: 'mode: 0755', value: { mode: 0o755 } },
  { name: 'one with a sign', text: 'n: -012', value: { n: -10 } },
  {
    name: 'a number that is no such one as it is',
    text: 'n: 09\nm: 0\nf: 0.5',
    value: { n: 9, m: 0, f: 0.5 },
  },
  { name: 'such a text in quotes as text', text: 'n: "0755"', value: { n: '0755' } },
  {
    name: 'a quote that a line closes which stands no deeper than its key',
    text: 'c:\n  args: ["\n    echo a;\n    echo b\n  "]\n  image: i',
    value: { c: { args: [' echo a; echo b '], image: 'i' } },
  },
  {
    name: 'single quotes, twice in one text',
    text: "a: ['\n  x\n']\nb: ['\n  y\n']",
    value: { a: [' x '], b: [' y '] },
  },
  {
    name: 'a list that a line closes which is not indented',
    text: 'a: [1,\n2\n]\nb: 3',
    value: { a: [1, 2], b: 3 },
  },
];

const REFUSED: readonly { readonly name: string; readonly text: string; readonly line: number }[] = [
  { name: 'a quote that is not closed', text: 'a:\n  b: "x\n  c: 1\n', line: 4 },
  { name: 'a list that is not closed', text: 'a: [1\nb: 1\n', line: 2 },
  { name: 'a key that stands twice', text: 'a: 1\nb: 2\na: 3\n', line: 3 },
];

describe('parseLenient', () => {
  for (const { name, text, value } of READ) {
    it(`reads ${name}`, () => {
      const { documents } = parseLenient(text);
      assert.deepEqual(
        documents.map((document) => [document.toJS(), document.errors]),
        [[value, []]],
      );
    });
  }

  for (const { name, text, line } of REFUSED) {
    it(`refuses ${name}, where it stands`, () => {
      const { documents, lines } = parseLenient(text);
      const [error] = documents.flatMap(({ errors }) => errors);
      assert.equal(lines.linePos(error?.pos[0] ?? -1).line, line);
    });
  }
});
