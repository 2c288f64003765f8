import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, updateStatus, versionDetails } from './versions.ts';

for (const [older, newer] of [
  ['3.9.0', '3.10.0'],
  ['3.10.0', '4.0.0'],
  ['3.31.0-beta1', '3.31.0'],
  ['3.31.0', '3.31.1'],
] as const) {
  test(`version ${older} is older than ${newer}`, () => {
    assert.ok(compareVersions(older, newer) < 0);
    assert.ok(compareVersions(newer, older) > 0);
    assert.equal(compareVersions(newer, newer), 0);
  });
}

for (const [agent, status] of [
  ['', 'NOT_REQUIRED'],
  ['3.31.0', 'NOT_REQUIRED'],
  ['3.32.0', 'NOT_REQUIRED'],
  ['3.9.0', 'AVAILABLE'],
  ['2.14.0', 'MANDATORY'],
  ['ci', 'MANDATORY'],
] as const) {
  test(`an agent of version "${agent}" beside 3.31.0: ${status}`, () =>
    assert.equal(updateStatus(agent, '3.31.0'), status));
}

test('the latest version is the newest by its numbers, and the own one is compatible', () => {
  const details = versionDetails({ version: '3.10.0', compatibleVersions: ['3.9.0', '3.2.0'] });
  assert.deepEqual(details, { latestVersion: '3.10.0', compatibleVersions: ['3.2.0', '3.9.0', '3.10.0'] });
});
