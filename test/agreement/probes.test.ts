/** Every door judges a probe by the same rules and in the same words: admission, manifests, plan and run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { ChaosEngine, ChaosExperiment, Probe } from '../../src/api/index.ts';
import { plainFieldError } from '../../src/api/validation/index.ts';
import { chaosProblems } from '../../src/chaos/chaos-admission.ts';
import { judgeSettings } from '../../src/experiment/plan/settings-problems.ts';
import { createProbeRunner } from '../../src/experiment/probes/runner.ts';
import {
  cmdProbe,
  httpProbe,
  k8sProbe,
  noClient,
  promProbe,
  RUN,
} from '../../src/experiment/probes/testing/builders.ts';
import { faultRegistry } from '../../src/faults/index.ts';
import { parseManifests } from '../../src/services/manifests/load.ts';
import { checkManifests } from '../../src/services/manifests/validate.ts';

const PATH = ['spec', 'experiments', 0, 'spec', 'probe'];
const GET = { criteria: '==', responseCode: '200' };

/** What a user may write although the schema forbids it. */
function odd(probe: Probe, changes: object): Probe {
  return { ...probe, ...changes };
}

const web = httpProbe('http://127.0.0.1:1/');

/** What is odd, the probes, and the sentence about the last of them; none where it is accepted. */
const CASES: readonly [odd: string, probes: readonly Probe[], problem: string | undefined][] = [
  [
    'a type in another case',
    [odd(web, { type: 'HTTPProbe' })],
    'type: Unsupported value: "HTTPProbe": supported values: "httpProbe", "cmdProbe", "k8sProbe", "promProbe", "sloProbe", "loadProbe"',
  ],
  [
    'a mode in another case',
    [odd(web, { mode: 'sot' })],
    'mode: Unsupported value: "sot": supported values: "SOT", "EOT", "Edge", "Continuous", "OnChaos"',
  ],
  [
    'a URL that is not HTTP',
    [httpProbe('ftp://files/x')],
    '["httpProbe/inputs"].url: Invalid value: "ftp://files/x": must be a URL that begins with http:// or https://',
  ],
  [
    // As upstream: get is sent, and what post lacks does not matter.
    'get, and post without a body',
    [
      httpProbe('http://127.0.0.1:1/', {
        'httpProbe/inputs': { url: 'http://x', method: { get: GET, post: GET } },
      }),
    ],
    undefined,
  ],
  [
    'a negative number of attempts',
    [odd(web, { runProperties: { ...RUN, attempt: -1 } })],
    'runProperties.attempt: Invalid value: -1: must be a whole number from 0 to 1000000',
  ],
  [
    'a duration without a unit',
    [odd(web, { runProperties: { ...RUN, interval: '5' } })],
    'runProperties.interval: Invalid value: "5": the unit is missing; write 5s for seconds or 5ms for milliseconds',
  ],
  [
    'criteria of numbers for a text',
    [
      odd(cmdProbe('true', ''), {
        'cmdProbe/inputs': { command: 'true', comparator: { type: 'string', criteria: '==', value: '1' } },
      }),
    ],
    '["cmdProbe/inputs"].comparator.criteria: Invalid value: "==": is for type int and float; for type string use one of ' +
      'equal, Equal, notEqual, NotEqual, contains, Contains, matches, Matches, notMatches, NotMatches, oneOf, OneOf',
  ],
  [
    'the deletion of everything',
    [k8sProbe({ operation: 'delete' })],
    '["k8sProbe/inputs"].resourceNames: Required value: give resourceNames, labelSelector or fieldSelector; without them every pods would be deleted',
  ],
  [
    'no inputs',
    [
      odd(promProbe('http://x', {}), {
        'promProbe/inputs': undefined,
        'httpProbe/inputs': web['httpProbe/inputs'],
      }),
    ],
    '["promProbe/inputs"]: Required value: a probe of type promProbe needs its inputs here, found "httpProbe/inputs"',
  ],
  ['a name that another probe has', [web, web], undefined],
  [
    'a template of a probe that has no output',
    [httpProbe('http://{{ .web.ProbeArtifacts.Register }}/')],
    '["httpProbe/inputs"].url: Invalid value: "http://{{ .web.ProbeArtifacts.Register }}/": ' +
      "template uses 'web', which is no cmdProbe of this experiment",
  ],
];

const EXPERIMENT: ChaosExperiment = {
  metadata: { name: 'pod-delete' },
  spec: { definition: { image: 'turnsole:1' } },
};

function engineWith(probes: readonly Probe[]): ChaosEngine & { apiVersion: string; kind: string } {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'eng', namespace: 'shop' },
    spec: {
      appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' },
      chaosServiceAccount: 'chaos-sa',
      experiments: [{ name: 'pod-delete', spec: { probe: [...probes] } }],
    },
  };
}

/** What each door says of the probes of an engine. */
const DOORS: Readonly<Record<string, (probes: readonly Probe[]) => Promise<readonly string[]>>> = {
  admission: async (probes) => chaosProblems(engineWith(probes)).map(plainFieldError),
  manifests: async (probes) => {
    const manifests = parseManifests('engine.json', JSON.stringify(engineWith(probes)), []);
    return checkManifests(manifests).problems.map(({ field, message }) => `${field}: ${message}`);
  },
  plan: async (probes) => {
    const engine = engineWith(probes);
    const [entry = { name: '' }] = engine.spec.experiments;
    const tools = { registry: faultRegistry, random: () => 0 };
    return (await judgeSettings(engine, EXPERIMENT, entry, tools)).problems.map(({ message }) => message);
  },
  run: async (probes) => {
    // What is accepted has nothing to measure before chaos.
    const runner = createProbeRunner({
      probes: probes.map((probe) => ({ ...probe, ...(probe.mode === 'SOT' ? { mode: 'EOT' } : {}) })),
      path: PATH,
      client: noClient(),
      clock: systemClock,
      signal: new AbortController().signal,
      env: {},
      statusCheckTimeoutSeconds: 1,
      logger: { info: () => {}, warn: () => {} },
      onUpdate: () => {},
      onStop: () => {},
    });
    const outcome = await runner.preChaos();
    return outcome.ok ? [] : outcome.findings.map(({ reason }) => reason);
  },
};

for (const [name, probes, problem] of CASES) {
  test(`${problem === undefined ? 'accepted' : 'refused'} at every door: ${name}`, async () => {
    const place = `spec.experiments[0].spec.probe[${probes.length - 1}]`;
    const dot = problem?.startsWith('[') === true ? '' : '.';
    const expected = problem === undefined ? [] : [`${place}${dot}${problem}`];
    for (const [door, judge] of Object.entries(DOORS)) assert.deepEqual(await judge(probes), expected, door);
  });
}
