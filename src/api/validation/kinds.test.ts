import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import type { ChaosEngineSpec, EngineExperiment } from '../schema/engine.ts';
import type { ExperimentDefinition } from '../schema/experiment.ts';
import type { ChaosSchedule } from '../schema/schedule.ts';
import { validateEngine } from './engine.ts';
import { validateExperiment } from './experiment.ts';
import { validateSchedule } from './schedule.ts';

type Case<T> = readonly [name: string, value: T, problems: readonly string[]];

/** Each sentence must begin as expected; `found` has no more of them. */
function assertProblems(found: readonly string[], expected: readonly string[]): void {
  assert.equal(found.length, expected.length, found.join('\n'));
  for (const [index, problem] of expected.entries())
    assert.equal(found[index]?.slice(0, problem.length), problem);
}

const one: EngineExperiment[] = [{ name: 'pod-delete' }];

function components(settings: object): Partial<ChaosEngineSpec> {
  return { experiments: [{ name: 'a', spec: { components: settings } }] };
}

const AT = 'spec.experiments[0].spec.components';

const ENGINES: readonly Case<Partial<ChaosEngineSpec>>[] = [
  ['the least', {}, []],
  ['empty appinfo', { appinfo: { appns: '', applabel: '', appkind: '' } }, []],
  ['whole appinfo', { appinfo: { appns: 'shop', applabel: 'app=web,tier!=db', appkind: 'deployment' } }, []],
  [
    'kind without label',
    { appinfo: { appkind: 'deployment' } },
    ['spec.appinfo.applabel: Required value: appkind is "deployment"; give both or neither'],
  ],
  [
    'label without kind',
    { appinfo: { applabel: 'app=web' } },
    ['spec.appinfo.appkind: Required value: applabel is "app=web"; give both or neither'],
  ],
  [
    'namespace in capitals',
    { appinfo: { applabel: 'app=', appkind: 'deployment', appns: 'Shop' } },
    ['spec.appinfo.appns: Invalid value: "Shop": a lowercase RFC 1123 subdomain'],
  ],
  [
    'selector with a stray comma',
    { appinfo: { applabel: 'app=web,', appkind: 'deployment' } },
    [
      'spec.appinfo.applabel: Invalid value: "app=web,": must be a label selector such as app=web,tier!=db: found',
    ],
  ],
  ['empty selectors', { selectors: {} }, ['spec.selectors: Required value: give workloads or pods']],
  [
    'no workloads and no pods',
    { selectors: { workloads: [], pods: [] } },
    ['spec.selectors: Required value'],
  ],
  [
    'workloads and pods',
    {
      selectors: {
        workloads: [{ kind: 'deployment', namespace: 'a', names: 'x, y' }],
        pods: [{ namespace: 'a', names: 'p' }],
      },
    },
    [],
  ],
  [
    'incomplete selectors',
    {
      selectors: {
        workloads: [
          { kind: '', namespace: '' },
          { kind: 'deployment', namespace: 'a', names: 'x', labels: 'b=c' },
        ],
        pods: [{ namespace: 'a', names: 'Pod_1' }],
      },
    },
    [
      'spec.selectors.workloads[0].kind: Required value',
      'spec.selectors.workloads[0].namespace: Required value',
      'spec.selectors.workloads[0].names: Required value: give names or labels',
      'spec.selectors.workloads[1].labels: Invalid value: "b=c": give names or labels, not both',
      'spec.selectors.pods[0].names: Invalid value: "Pod_1": a lowercase RFC 1123 subdomain',
    ],
  ],
  ['auxiliary applications', { auxiliaryAppInfo: 'shop:app=cart, shop:app=web' }, []],
  [
    'auxiliary application without a label',
    { auxiliaryAppInfo: 'shop:app=cart,web' },
    ['spec.auxiliaryAppInfo: Invalid value: "shop:app=cart,web": "web" must be namespace:label'],
  ],
  ['no experiments', { experiments: [] }, ['spec.experiments: Required value: at least one experiment']],
  [
    'names of experiments',
    { experiments: [{ name: 'a' }, { name: 'Pod Delete' }, { name: 'a' }] },
    [
      'spec.experiments[1].name: Invalid value: "Pod Delete": a lowercase RFC 1123 subdomain',
      'spec.experiments[2].name: Duplicate value: "a": settings, probes and results',
    ],
  ],
  [
    'environment',
    components({
      env: [
        { name: 'OK', value: '' },
        { name: '1X', value: 'a' },
        { name: 'BOTH', value: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
    }),
    [
      `${AT}.env[1].name: Invalid value: "1X": a valid environment variable name must consist`,
      `${AT}.env[2].valueFrom: Invalid value: {"fieldRef":`,
    ],
  ],
  [
    'mounts',
    components({
      configMaps: [{ name: 'a', mountPath: '/x' }, { name: 'b' }],
      secrets: [{ name: 'c', mountPath: '/x/' }],
    }),
    [
      `${AT}.configMaps[1].mountPath: Required value: a mount needs name, mountPath`,
      `${AT}.secrets[0].mountPath: Duplicate value: "/x/": mounted twice`,
    ],
  ],
  [
    'tolerations, selectors, resources, image',
    components({
      tolerations: [
        { key: 'a', operator: 'In' },
        { operator: 'Exists', effect: 'Never' },
        { tolerationSeconds: 5 },
      ],
      nodeSelector: { 'a b': 'c' },
      resources: { limits: { memory: '1GB', cpu: '1' }, requests: { cpu: '2' } },
      experimentImage: 'image ',
    }),
    [
      `${AT}.experimentImage: Invalid value: "image ": must not have leading or trailing whitespace`,
      `${AT}.nodeSelector: Invalid value: "a b": name part must consist`,
      `${AT}.resources.limits.memory: Invalid value: "1GB": "1GB" is no quantity`,
      `${AT}.resources.requests.cpu: Invalid value: "2": must be less than or equal to cpu limit of 1`,
      `${AT}.tolerations[0].operator: Unsupported value: "In": supported values: "Exists", "Equal"`,
      `${AT}.tolerations[1].effect: Unsupported value: "Never": supported values: "NoSchedule"`,
      `${AT}.tolerations[2].operator: Invalid value: "": operator must be Exists when \`key\` is empty`,
      `${AT}.tolerations[2].effect: Invalid value: "": effect must be 'NoExecute'`,
    ],
  ],
  [
    'runner, sidecar, service account',
    {
      chaosServiceAccount: 'Admin',
      components: { runner: { runnerLabels: { a: 'b c' } }, sidecar: [{ env: [{ name: 'OK' }] }] },
    },
    [
      'spec.chaosServiceAccount: Invalid value: "Admin": a lowercase RFC 1123 subdomain',
      'spec.components.runner.runnerLabels: Invalid value: "b c": a valid label must be',
      'spec.components.sidecar[0].image: Required value: the image that is run',
    ],
  ],
  [
    'order of experiments',
    {
      experiments: [
        { name: 'a', dependsOn: ['c'] },
        { name: 'b', dependsOn: ['a'] },
        { name: 'c', dependsOn: ['b', 'aa'] },
      ],
      execution: { minInterval: '5' },
    },
    [
      'spec.experiments[2].dependsOn[1]: Not found: "aa": no experiment of this engine has that name; did you mean "a"?',
      'spec.experiments[0].dependsOn: Invalid value: ["c"]: none of them can ever start: ' +
        'a waits for c waits for b waits for a',
      'spec.execution.minInterval: Invalid value: "5": the unit is missing',
    ],
  ],
  [
    'waits for itself',
    { experiments: [{ name: 'a', dependsOn: ['a'] }] },
    ['spec.experiments[0].dependsOn: Invalid value: ["a"]: none of them can ever start: a waits for a'],
  ],
  [
    'a diamond',
    { experiments: [{ name: 'a' }, { name: 'b', dependsOn: ['a'] }, { name: 'c', dependsOn: ['a', 'b'] }] },
    [],
  ],
  [
    'annotationCheck',
    { annotationCheck: 'yes' },
    ['spec.annotationCheck: Unsupported value: "yes": supported values'],
  ],
];

describe('validateEngine', () => {
  for (const [name, spec, problems] of ENGINES) {
    it(name, () => {
      const engine = { metadata: { name: 'e' }, spec: { experiments: one, ...spec } };
      // The operator's order of checks is the order of the fields; experiments come last but for execution.
      assertProblems(validateEngine(engine).map(formatFieldError), problems);
    });
  }

  it('keeps the name within what a label can hold', () => {
    const engine = { metadata: { name: 'x'.repeat(64) }, spec: { experiments: one } };
    assert.deepEqual(
      validateEngine(engine).map((error) => error.detail),
      ['must be no more than 63 bytes, because it is the label app of the runner pod'],
    );
  });

  it('keeps the number of starts, iterations included, within what a status can hold', () => {
    const experiments = Array.from({ length: 6 }, (_, index) => ({ name: `e${index}` }));
    const problemsOf = (iterations: number) =>
      validateEngine({ metadata: { name: 'e' }, spec: { experiments, execution: { iterations } } }).map(
        formatFieldError,
      );
    assert.deepEqual(problemsOf(166), []);
    assert.deepEqual(problemsOf(167), [
      'spec.execution.iterations: Invalid value: 167: 167 times 6 experiments are more than the 1000 that one engine may start',
    ]);
  });

  it('survives long chains of dependencies', () => {
    const experiments = Array.from({ length: 5000 }, (_, index) => ({
      name: `e${index}`,
      ...(index === 0 ? {} : { dependsOn: [`e${index - 1}`] }),
    }));
    assert.deepEqual(validateEngine({ metadata: { name: 'e' }, spec: { experiments } }), []);
  });
});

const EXPERIMENTS: readonly Case<ExperimentDefinition>[] = [
  ['the least', { image: 'i' }, []],
  ['no image', {}, ['spec.definition.image: Required value: the image that is run']],
  [
    'labels, mounts, permissions',
    {
      image: 'i',
      labels: { 'a/b/c': '' },
      hostFileVolumes: [{ name: 'a', mountPath: '/x' }],
      permissions: [{ apiGroups: [''], resources: ['pods'], verbs: [] }, { verbs: ['get'] }],
    },
    [
      'spec.definition.labels: Invalid value: "a/b/c": a qualified name must consist',
      'spec.definition.hostFileVolumes[0].nodePath: Required value: a mount needs name, mountPath, nodePath',
      'spec.definition.permissions[0].verbs: Required value',
      'spec.definition.permissions[1].resources: Required value',
    ],
  ],
];

describe('validateExperiment', () => {
  for (const [name, definition, problems] of EXPERIMENTS) {
    it(name, () => {
      const experiment = { metadata: { name: 'a' }, spec: { definition } };
      assertProblems(validateExperiment(experiment).map(formatFieldError), problems);
    });
  }
});

type ScheduleSpec = ChaosSchedule['spec'];
type Times = NonNullable<ScheduleSpec['schedule']>;

const everyHour = { minChaosInterval: { hour: { everyNthHour: 1 } } };

const SCHEDULES: readonly Case<Times>[] = [
  ['now', { now: true }, []],
  ['once', { once: { executionTime: '2026-01-01T00:00:00Z' } }, []],
  ['again and again', { repeat: { properties: everyHour, workDays: { includedDays: 'Mon, Fri' } } }, []],
  ['never', {}, ['spec.schedule: Required value: give now: true, once or repeat']],
  [
    'twice',
    { now: true, repeat: { properties: everyHour } },
    ['spec.schedule.repeat: Forbidden: give only one of now, once, repeat; found now'],
  ],
  [
    'wrong in every part',
    {
      repeat: {
        timeRange: { startTime: '2026-01-02T00:00:00Z', endTime: '2026-01-01T00:00:00Z' },
        properties: { minChaosInterval: { minute: { everyNthMinute: 0 } } },
        workDays: { includedDays: 'Mon,Tuesday' },
        workHours: { includedHours: '17-9' },
      },
    },
    [
      'spec.schedule.repeat.timeRange.endTime: Invalid value: "2026-01-01T00:00:00Z": must be later than startTime',
      'spec.schedule.repeat.properties.minChaosInterval.minute.everyNthMinute: Required value',
      'spec.schedule.repeat.workDays.includedDays: Invalid value: "Mon,Tuesday": "Tuesday" in',
      'spec.schedule.repeat.workHours.includedHours: Invalid value: "17-9": "17-9" ends before it begins',
    ],
  ],
];

describe('validateSchedule', () => {
  for (const [name, schedule, problems] of SCHEDULES) {
    it(name, () => {
      const object = {
        metadata: { name: 'a' },
        spec: { schedule, engineTemplateSpec: { experiments: one } },
      };
      assertProblems(validateSchedule(object).map(formatFieldError), problems);
    });
  }

  it('checks the template as an engine', () => {
    const object = {
      metadata: { name: 'a' },
      spec: { schedule: { now: true }, engineTemplateSpec: { experiments: [] } },
    };
    assertProblems(validateSchedule(object).map(formatFieldError), [
      'spec.engineTemplateSpec.experiments: Required value',
    ]);
  });
});
