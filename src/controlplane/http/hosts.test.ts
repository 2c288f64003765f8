import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostAllowed } from './hosts.ts';

const CASES: readonly [
  what: string,
  host: string | undefined,
  hosts: readonly string[] | undefined,
  allowed: boolean,
][] = [
  ['any, where none are named', 'chaos.example.com', undefined, true],
  ['a named one', 'localhost:4711', ['127.0.0.1', 'localhost'], true],
  ['a named one on another port', 'localhost:80', ['localhost'], true],
  ['a name that another page has pointed here', 'evil.example:4711', ['127.0.0.1', 'localhost'], false],
  ['IPv6', '[::1]:4711', ['[::1]'], true],
  ['none', undefined, ['localhost'], false],
];

for (const [what, host, hosts, allowed] of CASES) {
  test(`host: ${what}`, () => assert.equal(hostAllowed(host, hosts), allowed));
}
