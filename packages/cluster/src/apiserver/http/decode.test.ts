import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeBody, decodeJson } from './decode.ts';
import { StatusError } from './status.ts';

function refusal(text: string): number {
  try {
    decodeJson(Buffer.from(text));
    return 200;
  } catch (error) {
    assert.ok(error instanceof StatusError);
    return error.code;
  }
}

describe('JSON bodies', () => {
  for (const [name, text, code] of [
    ['512 levels', '['.repeat(512) + ']'.repeat(512), 200],
    ['more levels', '['.repeat(513) + ']'.repeat(513), 400],
    ['100,001 items', `[${'1,'.repeat(100_000)}1]`, 200],
    ['more items', `[${'1,'.repeat(100_001)}1]`, 413],
    ['commas in texts', `["${','.repeat(200_000)}"]`, 200],
    ['a prototype', '{"a":{"__proto__":{"polluted":true}}}', 400],
    ['a prototype behind escapes', '{"a":{"\\u005f_proto__":{"polluted":true}}}', 400],
    ['a constructor, which is a name like others', '{"constructor":{"prototype":{"a":1}}}', 200],
    ['a prototype as value', '{"a":"__proto__"}', 200],
    ['half a text', '{"a":', 400],
    ['nothing', '', 400],
  ] as const) {
    it(`of ${name}: ${code}`, () => assert.equal(refusal(text), code));
  }
});

describe('YAML bodies', () => {
  const read = (text: string): Promise<unknown> => decodeBody(Buffer.from(text), 'application/yaml');

  it('with aliases of aliases are refused before they grow', async () => {
    const bomb = [
      'a: &a [x, x]',
      ...[...'bcdefghijklmno'].map(
        (name, index) => `${name}: &${name} [${`*${'abcdefghijklmno'[index]}, `.repeat(9)}]`,
      ),
    ];
    await assert.rejects(read(bomb.join('\n')), /error decoding YAML: Excessive alias count/);
  });

  it('that are long are refused, and the same as JSON are not', async () => {
    const long = 'x'.repeat(600_000);
    await assert.rejects(read(`a: ${long}`), /YAML of 600003 bytes is too large/);
    assert.deepEqual(await read(`{"a":"${long}"}`), { a: long });
  });

  it('are refused when they open more brackets than JSON may', async () => {
    await assert.rejects(read(`a: ${'['.repeat(600)}`), /exceeded max depth/);
    assert.deepEqual(await read(`a: "${'['.repeat(500)}"`), { a: '['.repeat(500) });
  });

  it('cannot name a prototype either', async () => {
    await assert.rejects(read('a: {__proto__: {polluted: true}}'), /must not be named "__proto__"/);
  });
});
