import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentObjects, onHostNetwork } from './agent-objects.ts';

const MANIFEST = `apiVersion: v1
kind: Namespace
metadata: {name: litmus}
---
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: subscriber, namespace: litmus}
spec: {template: {spec: {containers: [{name: a, args: ['-metrics-bind-address=:8080'], ports: [{containerPort: 8080}]}]}}}
`;

describe('the objects of an agent', () => {
  test('are read from the documents of the manifest', () => {
    assert.deepEqual(
      agentObjects(MANIFEST).map(({ kind }) => kind),
      ['Namespace', 'Deployment'],
    );
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['a page', '<html>no</html>'],
    ['broken YAML', 'a: [1'],
    ['an object without a name', 'apiVersion: v1\nkind: Pod\nmetadata: {}'],
  ] as const) {
    test(`are not ${what}`, () => {
      assert.throws(() => agentObjects(text), {
        code: 'REMOTE_REFUSED',
        message: /^the server's manifest cannot be read/,
      });
    });
  }

  for (const [url, hostNetwork] of [
    ['http://127.0.0.1:9002', true],
    ['http://localhost:9002', true],
    ['http://[::1]:9002', true],
    ['https://localhost.example.com', false],
    ['https://chaos.example.com', false],
  ] as const) {
    test(`of a server at ${url} ${hostNetwork ? 'share' : 'do not share'} the network of their node`, () => {
      const [namespace, deployment] = onHostNetwork(agentObjects(MANIFEST), url, { 8080: 28080 });
      assert.equal(namespace?.spec, undefined);
      const text = JSON.stringify(deployment?.spec);
      assert.deepEqual(
        [
          text.includes('"hostNetwork":true'),
          text.includes(':28080'),
          text.includes('"containerPort":28080'),
          // Else the name of a service, which a run can ask, could not be tried.
          text.includes('"dnsPolicy":"ClusterFirstWithHostNet"'),
        ],
        [hostNetwork, hostNetwork, hostNetwork, hostNetwork],
      );
    });
  }
});
