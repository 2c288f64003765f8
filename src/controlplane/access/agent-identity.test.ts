import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionMismatch } from './agent-identity.ts';

const CASES: readonly [server: string, agent: string, expected: string | undefined][] = [
  ['3.31.0', '3.31.0', undefined],
  ['3.31.0', '3.2.9', undefined],
  ['3.31.0', '2.14.0', 'ERROR: infra VERSION MISMATCH (need 3.x.x got 2.14.0)'],
  ['3.31.0', '31.0.0', 'ERROR: infra VERSION MISMATCH (need 3.x.x got 31.0.0)'],
  ['3.31.0', '3.31', 'ERROR: infra VERSION MISMATCH (need 3.x.x got 3.31)'],
  ['3.31.0', '', 'ERROR: infra VERSION MISMATCH (need 3.x.x got )'],
  ['ci-1', 'ci-1', undefined],
  ['ci-1', '3.31.0', 'ERROR: infra VERSION MISMATCH (need ci-1 got 3.31.0)'],
];

for (const [server, agent, expected] of CASES) {
  test(`an agent of version "${agent}" at a server of ${server}`, () => {
    assert.equal(versionMismatch(server, agent), expected);
  });
}
