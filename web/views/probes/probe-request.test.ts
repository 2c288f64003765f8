import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeType } from '../../../src/controlplane/schema/generated/types.ts';
import type { ShownProbe } from './generated/probes.ts';
import { probeRequest } from './probe-request.ts';
import { probeTexts } from './probe-texts.ts';

const times = {
  ...{ probeTimeout: '5s', interval: '2s', attempt: 3, retry: null, probePollingInterval: '1s' },
  ...{ initialDelay: '4s', evaluationTimeout: null, stopOnFailure: true },
};
const comparator = { type: 'float', criteria: 'oneOf', value: '1,2' };

function probe(type: ProbeType, properties: object): ShownProbe {
  const none = {
    kubernetesHTTPProperties: null,
    kubernetesCMDProperties: null,
    promProperties: null,
    k8sProperties: null,
  };
  return {
    name: 'p',
    description: 'what',
    tags: ['a'],
    type,
    ...none,
    ...properties,
  } as unknown as ShownProbe;
}

const PROBES: readonly (readonly [what: string, probe: ShownProbe])[] = [
  [
    'a POST',
    probe('httpProbe', {
      kubernetesHTTPProperties: {
        ...{ ...times, url: 'http://a', insecureSkipVerify: true },
        method: {
          get: null,
          post: {
            ...{ criteria: 'oneOf', responseCode: '[200, 201]' },
            ...{ body: '{}', bodyPath: null, contentType: 'application/json' },
          },
        },
      },
    }),
  ],
  [
    'a command with a pod of its own',
    probe('cmdProbe', {
      kubernetesCMDProperties: { ...times, command: 'true', comparator, source: '{"image":"x"}' },
    }),
  ],
  [
    'a query from a file',
    probe('promProbe', {
      promProperties: { ...times, endpoint: 'http://p', query: 'up', queryPath: '/q', comparator },
    }),
  ],
  [
    'objects by their names',
    probe('k8sProbe', {
      k8sProperties: {
        ...{ ...times, group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' },
        ...{ resourceNames: 'web', fieldSelector: 'a=b', labelSelector: 'c=d', operation: 'absent' },
      },
    }),
  ],
];

for (const [what, given] of PROBES) {
  test(`${what} that is changed keeps the fields that the form does not show, and those that the user leaves alone`, () => {
    const texts = probeTexts(given);
    const text = (name: string): string => texts[name as keyof typeof texts] ?? '';
    const request = probeRequest(given.type, text, given);
    const part = (of: object): object =>
      Object.fromEntries(
        Object.entries(of).filter(([key, value]) => key.endsWith('Properties') && value !== null),
      );
    const shown = part(given);
    const sent = JSON.parse(JSON.stringify(part(request)));
    if (given.type === 'httpProbe') {
      const { method } = (shown as { kubernetesHTTPProperties: { method: { get?: unknown } } })
        .kubernetesHTTPProperties;
      delete method.get;
    }
    assert.deepEqual(sent, JSON.parse(JSON.stringify(shown)));
    assert.deepEqual([request.name, request.tags], ['p', ['a']]);
    const other = probeRequest(given.type, (name) => (name === 'timeout' ? '9s' : text(name)), given);
    assert.match(JSON.stringify(other), /"probeTimeout":"9s"/);
  });
}
