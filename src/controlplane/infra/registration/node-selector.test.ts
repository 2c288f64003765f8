import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNodeSelector } from './node-selector.ts';

for (const [text, expected] of [
  [undefined, {}],
  ['', {}],
  ['disk=ssd', { disk: 'ssd' }],
  ['disk=ssd, kubernetes.io/os=linux', { disk: 'ssd', 'kubernetes.io/os': 'linux' }],
] as const) {
  test(`node selector ${JSON.stringify(text)}`, () => assert.deepEqual(parseNodeSelector(text), expected));
}

for (const [text, message] of [
  ['disk', /^node selector environment variable is not correct\. Correct format: "key1=value2,key2=value2"$/],
  ['disk=', /is not correct/],
  ['a=b=c', /is not correct/],
  ['a=b,', /is not correct/],
  ['"disk"=ssd', /^node selector environment variable contains escape character\(s\)\. Correct format: /],
] as const) {
  test(`node selector ${text} is refused`, () =>
    assert.throws(() => parseNodeSelector(text), { name: 'Refusal', code: 'invalid', message }));
}
