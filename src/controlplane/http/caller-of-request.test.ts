import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieCounts } from './caller-of-request.ts';

const ORIGIN = { origin: 'https://chaos.example.com' };
const site = (value: string) => ({ 'sec-fetch-site': value });

const CASES: readonly [name: string, headers: object, mayChange: boolean, counts: boolean][] = [
  [
    'a page of the server, which names its origin, changes',
    { ...ORIGIN, ...site('same-origin') },
    true,
    true,
  ],
  ['an older browser names its origin only', ORIGIN, true, true],
  ['a page of the server reads', site('same-origin'), false, true],
  ['a person types the address', site('none'), false, true],
  ['a link of a page elsewhere', site('cross-site'), false, false],
  ['a link of a neighbour under the same domain', site('same-site'), false, false],
  ['a form that names no origin', site('cross-site'), true, false],
  ['a person who typed the address changes nothing', site('none'), true, false],
  ['nothing says which page asks', {}, true, false],
  ['nothing says which page reads', {}, false, true],
];

for (const [name, headers, mayChange, counts] of CASES) {
  test(`${name}: the cookie ${counts ? 'counts' : 'does not count'}`, () => {
    assert.equal(cookieCounts(headers, mayChange), counts);
  });
}
