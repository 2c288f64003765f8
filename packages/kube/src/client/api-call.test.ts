import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '../kinds/resources.ts';
import { failureOf, setUpClient } from '../testing/client.ts';
import { sendFailure, sendJson } from '../testing/http-server.ts';
import { type AnsweredCall, describeCall } from './api-call.ts';

const CALLS: readonly [method: string, path: string, expected: string][] = [
  ['GET', '/api/v1/namespaces/a/pods/web', 'get pods'],
  ['GET', '/api/v1/namespaces/a/pods', 'list pods'],
  ['GET', '/api/v1/pods?limit=500', 'list pods'],
  ['GET', '/api/v1/namespaces/a/pods?watch=true&resourceVersion=1', 'watch pods'],
  ['GET', '/api/v1/namespaces/a/pods/web/log?follow=true', 'get pods/log'],
  ['GET', '/api/v1/namespaces/a', 'get namespaces'],
  ['GET', '/api/v1/namespaces', 'list namespaces'],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces/finalize'],
  ['POST', '/apis/batch/v1/namespaces/a/jobs', 'create jobs'],
  ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/x', 'update leases'],
  ['PATCH', '/apis/example.com/v1alpha1/namespaces/a/widgets/x', 'patch widgets'],
  ['PATCH', '/apis/example.com/v1alpha1/namespaces/a/widgets/x/status', 'patch widgets/status'],
  ['DELETE', '/apis/batch/v1/namespaces/a/jobs/x', 'delete jobs'],
  ['DELETE', '/api/v1/namespaces/a/pods?labelSelector=x', 'deletecollection pods'],
  ['GET', '/apis/example.com/v1alpha1', 'get '],
  ['GET', '/version', 'get '],
];

for (const [method, path, expected] of CALLS) {
  test(`call: ${method} ${path} is ${expected}`, () => {
    const { verb, resource } = describeCall({ method, path });
    assert.equal(`${verb} ${resource}`, expected);
  });
}

test('the client reports every try, also repeated ones and those without an answer', async () => {
  const calls: AnsweredCall[] = [];
  let asked = 0;
  await using cluster = await setUpClient(
    (request, response) => {
      asked += 1;
      if (request.url.endsWith('/lost')) response.destroy();
      else if (asked === 1) sendFailure(response, 429, 'TooManyRequests');
      else sendJson(response, 200, { metadata: { name: 'web' } });
    },
    {},
    { onCall: (call) => calls.push(call) },
  );
  await cluster.client.get(PODS, 'web', { namespace: 'shop' });
  await failureOf(cluster.client.delete(PODS, 'lost', { namespace: 'shop' }));
  const tries = calls.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
  assert.deepEqual(tries.slice(0, 2), ['get pods 429', 'get pods 200']);
  assert.equal(tries.at(-1), 'delete pods undefined');
  for (const { seconds } of calls) assert.ok(seconds >= 0 && seconds < 30, `a call of ${seconds} s`);
  assert.equal(calls.length, cluster.server.seen.length);
});
