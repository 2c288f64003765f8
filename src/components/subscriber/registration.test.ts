import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../agent-link/answer.ts';
import { type Confirmation, readConfirmation } from './registration.ts';

const said = (confirmInfraRegistration: unknown): Answer => ({
  type: 'delivered',
  data: { confirmInfraRegistration },
});

const TABLE: readonly (readonly [name: string, answer: Answer, type: Confirmation['type'], why?: RegExp])[] =
  [
    ['confirmed', said({ isInfraConfirmed: true, newAccessKey: 'k' }), 'confirmed'],
    ['without a key', said({ isInfraConfirmed: true, newAccessKey: null }), 'not-confirmed', /gave no key/],
    [
      'a wrong key',
      said({ isInfraConfirmed: false, newAccessKey: null }),
      'not-confirmed',
      /apply the manifest/,
    ],
    ['a word', said('yes'), 'not-confirmed', /apply the manifest/],
    [
      'another version',
      { type: 'refused', messages: ['ERROR: INFRA VERSION MISMATCH (need 3.1.0 got 3.0.0)'] },
      'not-confirmed',
      /VERSION/,
    ],
    ['away', { type: 'again', why: 'ECONNREFUSED' }, 'not-confirmed', /ECONNREFUSED/],
  ];

for (const [name, answer, type, why] of TABLE) {
  test(`${name}: ${type}`, () => {
    const found = readConfirmation(answer);
    assert.equal(found.type, type);
    if (why !== undefined) assert.match('why' in found ? found.why : '', why);
  });
}
