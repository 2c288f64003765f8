import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords, nameFor } from './check-words.ts';

const http = (criteria: string, probeTimeout: string) => ({
  probeTimeout,
  url: 'http://web:8080/',
  method: { get: { criteria, responseCode: '200' } },
});

for (const [what, kubernetesHTTPProperties, words] of [
  ['of a service', http('==', '1s'), 'http://web:8080/ answers 200 within 1 s'],
  ['with another comparison', http('!=', '500ms'), 'http://web:8080/ answers != 200 within 500 ms'],
  ['that posts', { ...http('==', '1s'), method: { get: null } }, 'web-answers holds'],
  ['of another type', null, 'web-answers holds'],
] as const) {
  test(`words for a check ${what}`, () =>
    assert.equal(checkWords({ name: 'web-answers', kubernetesHTTPProperties }), words));
}

for (const [workload, name] of [
  ['web', 'web-pod-delete'],
  ['Web.1', 'web-1-pod-delete'],
  ['1', ''],
  ['a'.repeat(60), 'a'.repeat(50)],
] as const) {
  test(`the name of an experiment with ${workload.slice(0, 8)}`, () =>
    assert.equal(nameFor(workload, 'pod-delete'), name));
}
