import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from '@turnsole/kube/text/pattern';
import { originAllowed, ownOrigins } from './browser-origins.ts';

const ALLOWED = [Pattern.whole('https://portal\\.example\\.com')];

type Row = readonly [
  what: string,
  origin: string | undefined,
  reached: readonly [protocol: string, host: string | undefined],
  allowed: boolean,
];

const CASES: readonly Row[] = [
  ['a program without an origin', undefined, ['https', 'chaos.example.com'], true],
  ['the page of the server itself', 'https://chaos.example.com', ['https', 'chaos.example.com'], true],
  ['the page, its port the usual one', 'https://chaos.example.com', ['https', 'chaos.example.com:443'], true],
  ['the page on a port', 'http://127.0.0.1:9002', ['http', '127.0.0.1:9002'], true],
  ['the same host on another port', 'https://chaos.example.com:8443', ['https', 'chaos.example.com'], false],
  ['the same host without TLS', 'http://chaos.example.com', ['https', 'chaos.example.com'], false],
  [
    'the same host with TLS that the server does not see',
    'https://chaos.example.com',
    ['http', 'chaos.example.com'],
    false,
  ],
  ['the host, with a user before it', 'http://evil@127.0.0.1:9002', ['http', '127.0.0.1:9002'], false],
  ['another page', 'https://evil.example', ['https', 'chaos.example.com'], false],
  [
    'the public address, reached by another one',
    'https://public.example.com',
    ['http', '10.0.0.7:9002'],
    true,
  ],
  ['a page that the settings allow', 'https://portal.example.com', ['https', 'chaos.example.com'], true],
  [
    'a page whose name only begins like it',
    'https://portal.example.com.evil.example',
    ['https', 'chaos.example.com'],
    false,
  ],
  ['a sandboxed page', 'null', ['https', 'chaos.example.com'], false],
  ['a page of no host', 'file://', ['http', ''], false],
  ['no host', 'https://evil.example', ['https', undefined], false],
  ['a host that is none', 'https://evil.example', ['https', 'a b'], false],
];

for (const [what, origin, [protocol, host], allowed] of CASES) {
  test(`origin of ${what}`, () => {
    const request = { headers: { host }, socket: { encrypted: protocol === 'https' } };
    const own = ownOrigins(
      { publicUrl: 'https://public.example.com/chaos' },
      request as unknown as Parameters<typeof ownOrigins>[1],
    );
    assert.equal(originAllowed(origin, own, ALLOWED), allowed);
  });
}
