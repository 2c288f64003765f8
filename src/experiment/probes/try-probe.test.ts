import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import type { ProbeType } from '../../api/probe-types/index.ts';
import { isOfApplications } from './reachable.ts';
import { startPeer } from './testing/http-peer.ts';
import { type ProbeTrial, TrialRefusedError, tryProbe } from './try-probe.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
});
after(() => api[Symbol.asyncDispose]());

const ALL: readonly ProbeType[] = ['httpProbe', 'cmdProbe', 'k8sProbe', 'promProbe'];

function trial(entry: object, types: readonly ProbeType[] = ALL): Promise<ProbeTrial> {
  return tryProbe(
    { name: 'p', mode: 'SOT', runProperties: { probeTimeout: '2s', interval: '1s', attempt: 3 }, ...entry },
    {
      client: api.client,
      clock: systemClock,
      signal: new AbortController().signal,
      types: new Set(types),
      advice: 'ALLOWED_PROBES names them',
      refusalOf: (namespace) =>
        namespace === 'kube-system' ? 'namespace kube-system is not allowed' : undefined,
    },
  );
}

function http(url: string, more: object = {}): object {
  const method = { get: { criteria: '==', responseCode: '200' } };
  return { type: 'httpProbe', 'httpProbe/inputs': { url, method, ...more } };
}

function cmd(command: string, more: object = {}): object {
  const comparator = { type: 'string', criteria: 'equal', value: 'ok' };
  return { type: 'cmdProbe', 'cmdProbe/inputs': { command, comparator, ...more } };
}

function k8s(inputs: object): object {
  return {
    type: 'k8sProbe',
    'k8sProbe/inputs': { group: '', version: 'v1', resource: 'configmaps', operation: 'present', ...inputs },
  };
}

test('an HTTP answer is measured once, whatever its attempts', async () => {
  let asked = 0;
  await using peer = await startPeer((request, response) => {
    asked += 1;
    response.statusCode = request.url === '/good' ? 200 : 503;
    response.end();
  });
  const good = await trial(http(`${peer.url}/good`));
  assert.deepEqual([good.outcome, good.code], ['Passed', null]);
  assert.match(good.text, /Actual code: '200'/);
  const bad = await trial(http(`${peer.url}/bad`));
  assert.deepEqual(
    [bad.outcome, bad.code, bad.text],
    [
      'Failed',
      'HTTP_PROBE_FAILURE',
      `GET ${peer.url}/bad answered 503 (Service Unavailable) instead of 200. Actual value: 503. Expected value: should be equal to 200`,
    ],
  );
  assert.equal(asked, 2);
});

test('a value of Prometheus, objects and what a command prints are measured', async () => {
  await using peer = await startPeer((_request, response) => {
    const result = [{ metric: {}, value: [0, '7'] }];
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  const comparator = { type: 'float', criteria: '<', value: '5' };
  const prom = await trial({
    type: 'promProbe',
    'promProbe/inputs': { endpoint: peer.url, query: 'errors', comparator },
  });
  assert.equal(prom.outcome, 'Failed');
  assert.match(prom.text, /7/);
  await api.client.create(CONFIG_MAPS, { metadata: { name: 'there' } }, { namespace: 'default' });
  const named = (resourceNames: string) => trial(k8s({ namespace: 'default', resourceNames }));
  assert.equal((await named('there')).outcome, 'Passed');
  assert.equal((await named('gone')).outcome, 'Failed');
  // Keys that this program has in its environment are not there for commands.
  process.env.TRIAL_SECRET = 'secret';
  assert.equal((await trial(cmd('echo "o$TRIAL_SECRET"k'))).outcome, 'Passed');
  delete process.env.TRIAL_SECRET;
});

const REFUSED: readonly (readonly [what: string, entry: object, why: RegExp])[] = [
  ['a command with a pod of its own', cmd('true', { source: { image: 'busybox' } }), /runs in runs only/],
  [
    'what changes the cluster',
    k8s({ operation: 'delete', namespace: 'default', resourceNames: 'a' }),
    /changes the cluster/,
  ],
  ['a namespace that is not allowed', k8s({ namespace: 'kube-system' }), /kube-system is not allowed/],
  [
    'a body from a file',
    {
      type: 'httpProbe',
      'httpProbe/inputs': {
        url: 'http://a',
        method: { post: { criteria: '==', responseCode: '200', bodyPath: '/var/run/secrets/token' } },
      },
    },
    /file \/var\/run\/secrets\/token is in the pod of a run/,
  ],
  [
    'a certificate from a file',
    http('https://a', { tlsConfig: { caFile: '/etc/shadow' } }),
    /file \/etc\/shadow/,
  ],
  [
    'a query from a file',
    {
      type: 'promProbe',
      'promProbe/inputs': {
        endpoint: 'http://a',
        queryPath: '/q',
        comparator: { type: 'float', criteria: '<', value: '5' },
      },
    },
    /file \/q is/,
  ],
  ['a definition that cannot work', http('ftp://a', { method: {} }), /method/],
  ['a type that there is not', { type: 'oddProbe' }, /type/],
  ['an SLO, where that is not allowed', { type: 'sloProbe' }, /./],
];
for (const [what, entry, why] of REFUSED) {
  test(`${what} is refused, and nothing is asked`, async () => {
    await assert.rejects(
      trial(entry),
      (error) => error instanceof TrialRefusedError && why.test(error.message),
    );
  });
}

test('a type that is not allowed is refused with what would change that', async () => {
  await assert.rejects(
    trial(cmd('true'), ['httpProbe']),
    /type cmdProbe are not tried here; ALLOWED_PROBES names them/,
  );
});

const ADDRESSES: readonly (readonly [address: string, isReached: boolean])[] = [
  ['10.0.0.1', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['169.254.169.254', false],
  ['::ffff:169.254.169.254', false],
  ['fe80::1', false],
  ['fd00:ec2::254', false],
  ['fd00::1', true],
];
for (const [address, isReached] of ADDRESSES) {
  test(`${address} is ${isReached ? '' : 'not '}asked`, () =>
    assert.equal(isOfApplications(address), isReached));
}

test('metadata of machines is not read, by no way', async () => {
  await using peer = await startPeer((_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  });
  const ways = ['http://169.254.169.254/', 'http://2852039166/', 'http://[::ffff:a9fe:a9fe]/', peer.url];
  for (const url of ways) {
    const { outcome, text } = await trial(http(url));
    assert.equal(outcome, 'Error', `${url}: ${text}`);
    assert.match(text, /is an address of the machine/);
  }
});
