import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectProbeType } from '../../api/probe-types/index.ts';
import type { Probe } from '../../api/schema/probe.ts';
import { validateProbe } from '../../api/validation/probe.ts';
import { entryOf, keptProbeOf } from './manifest-probe.ts';
import { bodyOfProperties, propertiesOf } from './properties.ts';

const TIMES = { probeTimeout: '5s', interval: '1s', initialDelay: '2s', evaluationTimeout: '9s', attempt: 3 };
const COMPARATOR = { type: 'int', criteria: '>=', value: '1' };

/** Properties of the API, with those that ChaosCenter loses on the way to the engine. */
const PROPERTIES: readonly [type: ProjectProbeType, properties: Record<string, unknown>][] = [
  [
    'httpProbe',
    {
      ...TIMES,
      url: 'https://web',
      insecureSkipVerify: true,
      method: {
        post: { contentType: 'text/plain', body: 'a', bodyPath: '/b', criteria: '==', responseCode: '200' },
      },
    },
  ],
  ['httpProbe', { ...TIMES, url: 'http://web', method: { get: { criteria: '==', responseCode: '200' } } }],
  [
    'cmdProbe',
    { ...TIMES, command: 'true', comparator: COMPARATOR, source: '{"image":"alpine","privileged":true}' },
  ],
  ['promProbe', { ...TIMES, endpoint: 'http://prom', query: 'up', queryPath: '/q', comparator: COMPARATOR }],
  [
    'k8sProbe',
    {
      ...TIMES,
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      namespace: 'default',
      resourceNames: 'a,b',
      fieldSelector: 'metadata.name=a',
      labelSelector: 'a=b',
      operation: 'present',
    },
  ],
];

for (const [type, properties] of PROPERTIES) {
  test(`no property of a ${type} is lost to the engine and back, and the engine takes it`, () => {
    const body = bodyOfProperties({ name: 'p', type }, properties);
    assert.deepEqual(propertiesOf({ type, body }), properties);
    const entry = entryOf({ name: 'p', type, body }, 'SOT');
    assert.deepEqual(keptProbeOf(entry), { name: 'p', type, body });
    assert.deepEqual(validateProbe(entry as unknown as Probe), []);
  });
}

test('what a client says by null is not there', () => {
  const given = {
    ...TIMES,
    attempt: null,
    url: 'u',
    method: { post: null, get: { criteria: '==', responseCode: '1' } },
  };
  const body = bodyOfProperties({ name: 'p', type: 'httpProbe' }, given);
  assert.deepEqual(body['httpProbe/inputs'], {
    url: 'u',
    method: { get: { criteria: '==', responseCode: '1' } },
  });
  assert.equal('attempt' in (body.runProperties as object), false);
});

test('what the API has no field for outlives an update', () => {
  const before = {
    data: 'kind: Pod',
    runProperties: { retry: 2, verbosity: 'info' },
    'httpProbe/inputs': { url: 'old', tlsConfig: { caFile: '/ca' } },
  };
  assert.deepEqual(
    bodyOfProperties({ name: 'p', type: 'httpProbe' }, { url: 'new', interval: '1s' }, before),
    {
      data: 'kind: Pod',
      runProperties: { verbosity: 'info', interval: '1s' },
      'httpProbe/inputs': { url: 'new', tlsConfig: { caFile: '/ca' } },
    },
  );
});

test('a source that is no JSON is refused, an empty one is none', () => {
  const cmd = { name: 'p', type: 'cmdProbe' } as const;
  assert.throws(() => bodyOfProperties(cmd, { source: 'image: x' }), {
    name: 'ProbeSourceError',
    message: 'cannot store probe p: the source of a cmdProbe is no JSON object; write it as JSON text',
  });
  assert.deepEqual(bodyOfProperties(cmd, { command: 'true', source: '' })['cmdProbe/inputs'], {
    command: 'true',
  });
});

test('an entry that a manifest wrote sparely is shown with what the API promises', () => {
  assert.deepEqual(
    propertiesOf({ type: 'cmdProbe', body: { 'cmdProbe/inputs': { comparator: { value: 1 } } } }),
    {
      probeTimeout: '',
      interval: '',
      command: '',
      comparator: { type: '', criteria: '', value: 1 },
    },
  );
  assert.deepEqual(
    propertiesOf({ type: 'httpProbe', body: { 'httpProbe/inputs': { method: { get: {} } } } }),
    {
      probeTimeout: '',
      interval: '',
      url: '',
      method: { get: { criteria: '', responseCode: '' } },
    },
  );
});
