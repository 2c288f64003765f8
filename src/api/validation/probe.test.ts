import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import { PROBE_TYPES, type ProbeType } from '../probe-types/index.ts';
import type { Probe } from '../schema/probe.ts';
import { validateProbe, validateProbes } from './probe.ts';

const base = { name: 'p', mode: 'SOT', runProperties: { probeTimeout: '1s', interval: '100ms' } } as const;

function http(inputs: object = {}, request: object = {}): Probe {
  const get = { criteria: '==', responseCode: '200', ...request };
  return {
    ...base,
    type: 'httpProbe',
    'httpProbe/inputs': { url: 'http://web:80/', method: { get }, ...inputs },
  };
}

function cmd(comparator: object, command = 'echo 1'): Probe {
  const inputs = { command, comparator: { type: 'int' as const, criteria: '==', value: '1', ...comparator } };
  return { ...base, type: 'cmdProbe', 'cmdProbe/inputs': inputs };
}

function k8s(inputs: object, data?: string): Probe {
  const all = { group: '', version: 'v1', resource: 'pods', operation: 'present' as const, ...inputs };
  return { ...base, type: 'k8sProbe', ...(data === undefined ? {} : { data }), 'k8sProbe/inputs': all };
}

function prom(inputs: object): Probe {
  const all = { endpoint: 'http://prom:9090', comparator: { criteria: '<', value: '0.5' }, ...inputs };
  return { ...base, type: 'promProbe', 'promProbe/inputs': all };
}

function slo(inputs: object): Probe {
  const all = {
    platformEndpoint: 'https://platform/cv/api',
    sloIdentifier: 'checkout',
    sloSourceMetadata: {
      apiTokenSecret: 'token',
      scope: { accountIdentifier: 'acme', orgIdentifier: 'default', projectIdentifier: 'shop' },
    },
    comparator: { criteria: '<', value: '0.5' },
    ...inputs,
  };
  return { ...base, type: 'sloProbe', 'sloProbe/inputs': all };
}

function load(inputs: object = {}, rest: Partial<Probe> = {}): Probe {
  const all = { rate: 50, requests: [{ url: 'http://web/' }], ...inputs };
  const runProperties = { probeTimeout: '1s', interval: '' };
  return { ...base, mode: 'OnChaos', runProperties, type: 'loadProbe', 'loadProbe/inputs': all, ...rest };
}

/** A load of one request. */
function request(fields: object): Probe {
  return load({ requests: [{ url: 'http://web/', ...fields }] });
}

function runs(properties: object): Probe {
  return { ...http(), runProperties: { ...base.runProperties, ...properties } };
}

/** What is missing where the inputs are there and empty. */
const EMPTY: Readonly<Record<ProbeType, readonly string[]>> = {
  httpProbe: [
    '["httpProbe/inputs"].url: Required value: a URL such as',
    '["httpProbe/inputs"].method: Required value: give get or post',
  ],
  cmdProbe: [
    '["cmdProbe/inputs"].command: Required value: shell text',
    '["cmdProbe/inputs"].comparator: Required value: give criteria and value',
  ],
  k8sProbe: [
    '["k8sProbe/inputs"].version: Required value: the version of the API',
    '["k8sProbe/inputs"].resource: Invalid value: "null": must be the plural name of a resource',
    '["k8sProbe/inputs"].operation: Unsupported value: "null": supported values: "present"',
  ],
  promProbe: [
    '["promProbe/inputs"].endpoint: Required value: a URL such as',
    '["promProbe/inputs"].query: Required value: give query, or queryPath',
    '["promProbe/inputs"].comparator: Required value: give criteria and value',
  ],
  sloProbe: [
    '["sloProbe/inputs"].platformEndpoint: Required value: a URL such as',
    '["sloProbe/inputs"].sloIdentifier: Required value: which objective',
    '["sloProbe/inputs"].sloSourceMetadata.apiTokenSecret: Required value: name of the Secret',
    '["sloProbe/inputs"].sloSourceMetadata.scope.accountIdentifier: Required value: account',
    '["sloProbe/inputs"].comparator: Required value: give criteria and value',
  ],
  loadProbe: [
    '["loadProbe/inputs"].rate: Required value: how many requests per second',
    '["loadProbe/inputs"].requests: Required value: the requests that are sent',
    'mode: Unsupported value: "SOT": supported values: "Continuous", "OnChaos"',
    'runProperties.interval: Invalid value: "100ms": must be empty: a load sends at its rate',
  ],
};

/** Name of the case, the probe, and how each sentence about it begins. */
const CASES: readonly [name: string, probe: Probe, problems: readonly string[]][] = [
  ['http GET', http(), []],
  ['http with a template', http({ url: '{{ .first.ProbeArtifacts.Register }}/x' }), []],
  ['http list', http({}, { criteria: 'oneOf', responseCode: '200, 204' }), []],
  ['http range', http({}, { criteria: 'between', responseCode: '200,299' }), []],
  [
    'http POST without a body',
    http({ method: { post: { criteria: '==', responseCode: '201' } } }),
    ['["httpProbe/inputs"].method.post.body: Required value: a POST needs body, or bodyPath'],
  ],
  [
    'http without a method',
    http({ method: {} }),
    ['["httpProbe/inputs"].method: Required value: give get or post'],
  ],
  [
    'http URL without a scheme',
    http({ url: 'web:80' }),
    ['["httpProbe/inputs"].url: Invalid value: "web:80": must be a URL that begins with http:// or https://'],
  ],
  [
    'http code that is no number',
    http({}, { responseCode: 'OK' }),
    [
      '["httpProbe/inputs"].method.get.responseCode: Invalid value: "OK": must be a whole number, because the type is int',
    ],
  ],
  [
    'http criteria of texts',
    http({}, { criteria: 'equal' }),
    [
      '["httpProbe/inputs"].method.get.criteria: Invalid value: "equal": is for type string; for type int use one of >=',
    ],
  ],
  ['http body', http({}, { criteria: 'contains', responseCode: '', responseBody: 'ok' }), []],
  [
    'http body and code',
    http({}, { responseBody: 'ok' }),
    ['["httpProbe/inputs"].method.get.responseBody: Invalid value: "ok": give responseCode or responseBody'],
  ],
  [
    'http neither body nor code',
    http({}, { responseCode: '' }),
    ['["httpProbe/inputs"].method.get.responseCode: Required value: the expected status, or responseBody'],
  ],
  [
    'http body with criteria of numbers',
    http({}, { criteria: '==', responseCode: '', responseBody: 'ok' }),
    [
      '["httpProbe/inputs"].method.get.criteria: Invalid value: "==": is for type int and float; for type string',
    ],
  ],
  ['http certificates', http({ tlsConfig: { caFile: '/ca', certFile: '/cert', keyFile: '/key' } }), []],
  [
    'http certificate without its key',
    http({ tlsConfig: { certFile: '/cert' } }),
    ['["httpProbe/inputs"].tlsConfig.keyFile: Required value: certFile and keyFile belong together'],
  ],
  [
    'missing inputs, others present',
    { ...base, type: 'cmdProbe', 'httpProbe/inputs': http()['httpProbe/inputs'] },
    [
      '["cmdProbe/inputs"]: Required value: a probe of type cmdProbe needs its inputs here, found "httpProbe/inputs"',
    ],
  ],
  ['missing inputs', { ...base, type: 'promProbe' }, ['["promProbe/inputs"]: Required value']],
  ...PROBE_TYPES.map((type): (typeof CASES)[number] => [
    `nothing in the inputs of a ${type}, as an older definition lets it through`,
    { ...base, type, [`${type}/inputs`]: {} } as Probe,
    EMPTY[type],
  ]),
  ['blank name', { ...http(), name: ' ' }, ['name: Required value: results and templates go by it']],

  ['cmd int', cmd({}), []],
  ['cmd float', cmd({ type: 'float', criteria: '>=', value: '1e3' }), []],
  ['cmd text with a comma', cmd({ type: 'string', criteria: 'contains', value: 'a,b' }), []],
  ['cmd regex', cmd({ type: 'string', criteria: 'matches', value: '^(?i)ok [0-9]+$' }), []],
  ['cmd capital criteria', cmd({ criteria: 'OneOf', value: '1,2' }), []],
  [
    'cmd regex that does not compile',
    cmd({ type: 'string', criteria: 'matches', value: '(' }),
    ['["cmdProbe/inputs"].comparator.value: Invalid value: "(": must be a regular expression: pattern "("'],
  ],
  [
    'cmd float as int',
    cmd({ value: '5.0' }),
    ['["cmdProbe/inputs"].comparator.value: Invalid value: "5.0": must be a whole number'],
  ],
  [
    'cmd list with one wrong item',
    cmd({ criteria: 'oneOf', value: '1,two' }),
    ['["cmdProbe/inputs"].comparator.value: Invalid value: "1,two": "two" must be a whole number'],
  ],
  [
    'cmd list where one belongs',
    cmd({ criteria: '<', value: '1,2' }),
    [
      '["cmdProbe/inputs"].comparator.value: Invalid value: "1,2": must be one number; a list goes with oneOf',
    ],
  ],
  [
    'cmd range of one',
    cmd({ criteria: 'between', value: '1' }),
    ['["cmdProbe/inputs"].comparator.value: Invalid value: "1": must be two numbers with a comma between'],
  ],
  [
    'cmd range backwards',
    cmd({ criteria: 'between', value: '9,1' }),
    ['["cmdProbe/inputs"].comparator.value: Invalid value: "9,1": nothing lies between'],
  ],
  [
    'cmd unknown criteria',
    cmd({ criteria: '=>' }),
    ['["cmdProbe/inputs"].comparator.criteria: Unsupported value: "=>": supported values: ">=", "<=", ">"'],
  ],
  [
    'cmd no criteria',
    cmd({ criteria: '' }),
    ['["cmdProbe/inputs"].comparator.criteria: Required value: one of >='],
  ],
  ['cmd blank command', cmd({}, ' '), ['["cmdProbe/inputs"].command: Required value']],

  ['k8s by selectors', k8s({ labelSelector: 'app in (a,b)', fieldSelector: 'status.phase=Running' }), []],
  ['k8s by a template', k8s({ labelSelector: 'app={{ .x.ProbeArtifacts.Register }} (' }), []],
  ['k8s create', k8s({ operation: 'create' }, 'kind: Pod'), []],
  [
    'k8s create without data',
    k8s({ operation: 'create' }),
    ['data: Required value: operation create needs the manifest'],
  ],
  [
    'k8s delete of everything',
    k8s({ operation: 'delete', labelSelector: ' ' }),
    [
      '["k8sProbe/inputs"].resourceNames: Required value: give resourceNames, labelSelector or fieldSelector; without',
    ],
  ],
  [
    'k8s operation that there is not',
    k8s({ operation: 'Present' as 'present' }),
    ['["k8sProbe/inputs"].operation: Unsupported value: "Present": supported values: "present", "absent"'],
  ],
  [
    'k8s kind instead of resource',
    k8s({ resource: 'Pod' }),
    ['["k8sProbe/inputs"].resource: Invalid value: "Pod": must be the plural name of a resource'],
  ],
  [
    'k8s by fields that no server selects by',
    k8s({ group: 'apps', resource: 'deployments', fieldSelector: 'status.readyReplicas>=3' }),
    [
      '["k8sProbe/inputs"].fieldSelector: Invalid value: "status.readyReplicas>=3": field selectors know = and != only',
    ],
  ],
  [
    'k8s by fields that this resource is not selected by',
    k8s({ group: 'apps', resource: 'deployments', fieldSelector: 'status.readyReplicas=3' }),
    [
      '["k8sProbe/inputs"].fieldSelector: Invalid value: "status.readyReplicas=3": deployments cannot be selected by status.readyReplicas, only by metadata.name, metadata.namespace',
    ],
  ],
  [
    'k8s by fields of a resource of a custom kind',
    k8s({ group: 'example.com', resource: 'things', fieldSelector: 'spec.size=3' }),
    [],
  ],
  [
    'k8s selectors that cannot be read',
    k8s({ labelSelector: 'a in b', fieldSelector: 'x' }),
    [
      '["k8sProbe/inputs"].labelSelector: Invalid value: "a in b": must be a label selector such as',
      '["k8sProbe/inputs"].fieldSelector: Invalid value: "x": must be a field selector such as',
    ],
  ],

  ['prom', prom({ query: 'up' }), []],
  ['prom query in a file', prom({ queryPath: '/q' }), []],
  [
    'prom without a query, with text to compare',
    prom({ comparator: { type: 'string', criteria: 'contains', value: 'x' } }),
    [
      '["promProbe/inputs"].query: Required value: give query, or queryPath',
      '["promProbe/inputs"].comparator.criteria: Invalid value: "contains": is for type string; for type float',
    ],
  ],

  [
    'prom key without its certificate',
    prom({ query: 'up', tlsConfig: { keyFile: '/key' } }),
    ['["promProbe/inputs"].tlsConfig.certFile: Required value: certFile and keyFile belong together'],
  ],

  ['slo', slo({}), []],
  ['slo window in seconds', slo({ evaluationWindow: { evaluationStartTime: 1_800_000_000 } }), []],
  [
    'slo without anything of use',
    slo({
      platformEndpoint: 'platform',
      sloIdentifier: ' ',
      sloSourceMetadata: {
        apiTokenSecret: '',
        scope: { accountIdentifier: '', orgIdentifier: '', projectIdentifier: '' },
      },
      evaluationWindow: { evaluationStartTime: 1_800_000_000, evaluationEndTime: 1_700_000_000_000 },
      comparator: { type: 'string', criteria: 'contains', value: 'x' },
    }),
    [
      '["sloProbe/inputs"].platformEndpoint: Invalid value: "platform": must be a URL',
      '["sloProbe/inputs"].sloIdentifier: Required value: which objective',
      '["sloProbe/inputs"].sloSourceMetadata.apiTokenSecret: Required value: name of the Secret',
      '["sloProbe/inputs"].sloSourceMetadata.scope.accountIdentifier: Required value: account',
      '["sloProbe/inputs"].evaluationWindow.evaluationEndTime: Invalid value: 1700000000000: must be later',
      '["sloProbe/inputs"].comparator.criteria: Invalid value: "contains": is for type string; for type float',
    ],
  ],

  ['load', load(), []],
  ['load from before chaos', load({}, { mode: 'Continuous' }), []],
  [
    'load with all that it may say',
    load({
      rate: 0.5,
      ramp: '10s',
      connections: 20,
      concurrency: 10,
      tlsConfig: { caFile: '/ca.pem' },
      requests: [
        { url: 'https://web/{{ .first.ProbeArtifacts.Register }}', weight: 3 },
        {
          url: 'http://web/orders',
          method: 'POST',
          headers: { 'X-User': 'ada' },
          body: '{}',
          criteria: 'oneOf',
          responseCode: '201,409',
        },
      ],
    }),
    [],
  ],
  [
    'load of nothing',
    load({ rate: 0, requests: [] }),
    [
      '["loadProbe/inputs"].rate: Invalid value: 0: must be a number of requests per second, more than 0',
      '["loadProbe/inputs"].requests: Required value: the requests that are sent',
    ],
  ],
  [
    'load of too much',
    load({ rate: 10_001, connections: 1001, ramp: '169h' }),
    [
      '["loadProbe/inputs"].rate: Invalid value: 10001: must be a number of requests per second',
      '["loadProbe/inputs"].ramp: Invalid value: "169h": must be at most 168h',
      '["loadProbe/inputs"].connections: Invalid value: 1001: must be a whole number from 0 to 1000',
    ],
  ],
  [
    'load with more under way than connections',
    load({ connections: 5, concurrency: 6 }),
    ['["loadProbe/inputs"].concurrency: Invalid value: 6: must be at most connections (5)'],
  ],
  [
    'load with half a certificate',
    load({ tlsConfig: { keyFile: '/key.pem' } }),
    ['["loadProbe/inputs"].tlsConfig.certFile: Required value: certFile and keyFile belong together'],
  ],
  [
    'request that is none',
    request({ url: 'web', method: 'get', weight: 0, criteria: '==' }),
    [
      '["loadProbe/inputs"].requests[0].url: Invalid value: "web": must be a URL',
      '["loadProbe/inputs"].requests[0].method: Unsupported value: "get": supported values: "GET", "HEAD"',
      '["loadProbe/inputs"].requests[0].weight: Invalid value: 0: must be a whole number from 1 to 1000',
      '["loadProbe/inputs"].requests[0].responseCode: Required value: what criteria compare the status with',
    ],
  ],
  [
    'request with a body that is not sent',
    request({ body: 'x', responseCode: 'ok' }),
    [
      '["loadProbe/inputs"].requests[0].body: Invalid value: "x": GET has no body',
      '["loadProbe/inputs"].requests[0].responseCode: Invalid value: "ok"',
    ],
  ],
  [
    'request with headers that HTTP does not take',
    request({ headers: { 'X Y': '1', Connection: 'close', 'X-Line': 'a\nb' } }),
    [
      '["loadProbe/inputs"].requests[0].headers["X Y"]: Invalid value: "X Y": must be a name of a header',
      '["loadProbe/inputs"].requests[0].headers.Connection: Invalid value: "close": must not be given',
      '["loadProbe/inputs"].requests[0].headers.X-Line: Invalid value: "a\\nb": must be text without line breaks',
    ],
  ],
  ['load with a tolerance', load({}, { tolerance: { failed: '1%', outage: '500ms', p95: '300ms' } }), []],
  [
    'load that cannot see the outage it tolerates',
    load({ rate: 1 }, { tolerance: { outage: '500ms' } }),
    ['tolerance.outage: Invalid value: "500ms": cannot be seen with 1 requests per second'],
  ],
  [
    'load once before chaos',
    load({}, { mode: 'Edge' }),
    ['mode: Unsupported value: "Edge": supported values'],
  ],
  [
    'load with run properties of others',
    load(
      {},
      {
        runProperties: {
          probeTimeout: '1s',
          interval: '1s',
          probePollingInterval: '2s',
          evaluationTimeout: '3s',
          attempt: 2,
          retry: 3,
        },
      },
    ),
    [
      'runProperties.interval: Invalid value: "1s": must be empty: a load sends at its rate',
      'runProperties.probePollingInterval: Invalid value: "2s": must be empty',
      'runProperties.evaluationTimeout: Invalid value: "3s": must be empty',
      'runProperties.attempt: Invalid value: 2: must be at most 1: a load sends each request once',
      'runProperties.retry: Invalid value: 3: must be at most 1',
    ],
  ],

  ['all run properties', runs({ attempt: 3, retry: 1, initialDelay: '0.5s', probePollingInterval: '' }), []],
  [
    'durations and counts',
    runs({
      probeTimeout: '5',
      interval: '-1s',
      probePollingInterval: '169h',
      initialDelay: '1 s',
      attempt: -1,
      retry: 2 ** 31,
    }),
    [
      'runProperties.probeTimeout: Invalid value: "5": the unit is missing; write 5s for seconds',
      'runProperties.interval: Invalid value: "-1s": must not be negative',
      'runProperties.probePollingInterval: Invalid value: "169h": must be at most 168h (seven days)',
      'runProperties.initialDelay: Invalid value: "1 s": write numbers with units',
      'runProperties.attempt: Invalid value: -1: must be a whole number from 0',
      'runProperties.retry: Invalid value: 2147483648: must be a whole number from 0',
    ],
  ],
];

describe('validateProbe', () => {
  for (const [name, probe, problems] of CASES) {
    it(name, () => {
      const found = validateProbe(probe).map(formatFieldError);
      assert.equal(found.length, problems.length, found.join('\n'));
      for (const [index, problem] of problems.entries()) {
        assert.equal(found[index]?.slice(0, problem.length), problem);
      }
    });
  }
});

describe('validateProbes', () => {
  it('puts the place before each path, and allows a name twice', () => {
    const probes = [http(), cmd({ value: 'x' })];
    assert.deepEqual(
      validateProbes(probes, ['spec', 'probe']).map(({ path, type }) => [path, type]),
      [['spec.probe[1]["cmdProbe/inputs"].comparator.value', 'FieldValueInvalid']],
    );
  });
});
