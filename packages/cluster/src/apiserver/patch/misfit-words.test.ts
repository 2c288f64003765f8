import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converterWords, goText } from './misfit-words.ts';

describe('a strategic merge patch that does not fit', () => {
  for (const [value, text] of [
    [{ spec: { replicas: 'x', a: [1, null, true] } }, 'map[spec:map[a:[1 <nil> true] replicas:x]]'],
    [{}, 'map[]'],
    ['x', 'x'],
  ] as const) {
    it(`is shown as ${text}`, () => assert.equal(goText(value), text));
  }

  for (const [decoder, converter] of [
    [
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      'unrecognized type: int32',
    ],
    [
      'json: cannot unmarshal number into Go struct field X.a of type []string',
      'cannot restore slice from int64',
    ],
    [
      'json: cannot unmarshal array into Go struct field X.a of type map[string]string',
      'cannot restore map from slice',
    ],
    [
      'json: cannot unmarshal string into Go struct field X.a of type v1.PodSpec',
      'cannot restore struct from: string',
    ],
    ['quantities must match the regular expression', 'quantities must match the regular expression'],
  ] as const) {
    it(`is blamed with ${converter}`, () => assert.equal(converterWords(decoder), converter));
  }
});
