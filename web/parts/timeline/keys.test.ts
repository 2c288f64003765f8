import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, commandOf } from './keys.ts';

const NONE = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
const KEYS: readonly [name: string, event: Parameters<typeof commandOf>[0], command: Command | undefined][] =
  [
    ['an arrow walks', { ...NONE, key: 'ArrowRight' }, { do: 'walk', step: 'next' }],
    ['an arrow with shift moves', { ...NONE, key: 'ArrowLeft', shiftKey: true }, { do: 'pan', share: -0.25 }],
    ['a key of the browser is left to it', { ...NONE, key: 'f', ctrlKey: true }, undefined],
    ['? is typed with shift', { ...NONE, key: '?', shiftKey: true }, { do: 'help' }],
    ['Tab leaves', { ...NONE, key: 'Tab' }, undefined],
  ];
for (const [name, event, command] of KEYS) {
  test(`keys of the time axis: ${name}`, () => assert.deepEqual(commandOf(event), command));
}
