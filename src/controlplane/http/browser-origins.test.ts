import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from '../../text/pattern.ts';
import { originAllowed } from './browser-origins.ts';

const CASES: readonly [
  what: string,
  origin: string | undefined,
  host: string | undefined,
  allowed: boolean,
][] = [
  ['a program without an origin', undefined, 'chaos.example.com', true],
  ['the page of the server itself', 'https://chaos.example.com', 'chaos.example.com', true],
  ['the same host on another port', 'https://chaos.example.com:8443', 'chaos.example.com', false],
  ['another page', 'https://evil.example', 'chaos.example.com', false],
  ['a page that the settings allow', 'https://portal.example.com', 'chaos.example.com', true],
  [
    'a page whose name only begins like it',
    'https://portal.example.com.evil.example',
    'chaos.example.com',
    false,
  ],
  ['a sandboxed page', 'null', 'chaos.example.com', false],
  ['a page of no host', 'file://', '', false],
  ['no host', 'https://evil.example', undefined, false],
];

for (const [what, origin, host, allowed] of CASES) {
  test(`origin of ${what}`, () => {
    assert.equal(originAllowed(origin, host, [Pattern.whole('https://portal\\.example\\.com')]), allowed);
  });
}
