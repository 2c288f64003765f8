/**
 * Ways in which a run can go, each made for real on an embedded cluster, and how it then ends: one table for runs of the command
 * (`test/e2e/run-states.test.ts`) and for those that the agent of a server makes (`test/web/agent-states.test.ts`).
 *
 * To add a way, add a row to {@link SITUATIONS}.
 */
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, RESOURCE_QUOTAS } from '@turnsole/kube/kinds/resources';
import { HALT_NAME } from '../../src/chaos/halt.ts';
import type { RunState } from '../../src/services/report/outcome/run-states.ts';
import {
  CHART_RULES,
  chaosAccount,
  documents,
  type EngineOptions,
  engine,
  experiment,
  webApp,
  webProbe,
} from './manifests.ts';
import { applyText } from './up.ts';

/** How a situation ends. */
export interface Ending {
  /** What the command ends with. */
  readonly code: number;
  /** How it stands in the end; absent where nothing of it comes into the cluster. */
  readonly end?: RunState;
  /** States in which it was seen before. */
  readonly before?: readonly RunState[];
  /** What page and command say of it at last. */
  readonly says?: RegExp;
  /** What the page alone says, which knows its objects. */
  readonly shows?: RegExp;
}

/** One way in which a run can go. */
export interface Situation extends Ending {
  readonly what: string;
  readonly options?: Omit<EngineOptions, 'name'>;
  /** @default default */
  readonly namespace?: keyof typeof PLACES;
  /** Changes the text of the engine, or puts something in its place. */
  change?(text: string): string;
  /** When it is in this state, somebody stops it: the user who has begun it, or another one by its `engineState`. */
  readonly stop?: {
    readonly at: RunState;
    readonly by: 'user' | 'engine';
    /** What the command has printed before. */
    readonly after?: RegExp;
    /** What the page says while it is in that state. */
    readonly why?: RegExp;
  };
  /** How it ends by an agent: `turnsole run` refuses by its plan what an agent learns from its cluster. @default the same */
  readonly byAgent?: Ending & Pick<Situation, 'stop'>;
}

const LONG = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
const SHORT = { TOTAL_CHAOS_DURATION: '4', CHAOS_INTERVAL: '4' };
const NOWHERE = 'registry.invalid/nobody/nothing:1';

const one = (probes?: string, env: Readonly<Record<string, string>> = SHORT): EngineOptions => ({
  experiments: [{ name: 'pod-delete', env, ...(probes !== undefined && { probes }) }],
});
/** Adds a field to the specification of an engine. */
const withField = (field: string) => (text: string) => text.replace('\nspec:\n', `\nspec:\n  ${field}\n`);
const withRunner = (field: string) => withField(`components: { runner: { ${field} } }`);
/** Adds a field to the components of its experiments. */
const withComponent = (field: string) => (text: string) =>
  text.replaceAll('components:\n', `components:\n          ${field}\n`);

const nameIn = (text: string): string => /name: (situation-\d+)/.exec(text)?.[1] ?? '';

/** A step whose program ends with a code. */
const ends = (name: string, code: number, command = `exit ${code}`): Step => [
  name,
  `container: { image: busybox, command: [sh, -c], args: ["${command}"] }`,
];
type Step = readonly [name: string, template: string];

/** A step that makes the engine in whose place the workflow is, and waits for its end. */
const chaosStep = (text: string): Step => [
  'chaos',
  `inputs:
        artifacts:
          - name: engine
            path: /tmp/engine.yaml
            raw:
              data: |
${text
  .trim()
  .replace(
    /metadata: .*/,
    'metadata: { generateName: pod-delete-, namespace: default, labels: { workflow_run_id: "{{workflow.uid}}", step_pod_name: "{{pod.name}}" } }',
  )
  .replace(/^/gm, ' '.repeat(16))}
      container: { image: litmuschaos/litmus-checker:latest, args: [-file=/tmp/engine.yaml, -saveName=/tmp/engine-name] }`,
];

/** A workflow of steps one after the other, with the name of the engine in whose place it is. */
const workflow =
  (...steps: readonly (Step | typeof chaosStep)[]) =>
  (text: string): string => {
    const made = steps.map((step) => (typeof step === 'function' ? step(text) : step));
    return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${nameIn(text)}, namespace: default }
spec:
  entrypoint: main
  serviceAccountName: chaos-sa
  templates:
    - name: main
      steps:${made.map(([name]) => `\n        - - { name: ${name}, template: ${name} }`).join('')}
${made.map(([name, template]) => `    - name: ${name}\n      ${template}`).join('\n')}
`;
  };

/** Namespaces besides `default`, and what keeps runs from starting there. */
const PLACES = {
  default: async () => {},
  full: (client, namespace) => createQuota(client, namespace, '0'),
  narrow: (client, namespace) => createQuota(client, namespace, '1'),
  halted: (client, namespace) =>
    client.create(CONFIG_MAPS, { metadata: { name: HALT_NAME } } as NewObject<KubeObject>, { namespace }),
} as const satisfies Readonly<Record<string, (client: KubeClient, namespace: string) => Promise<unknown>>>;

function createQuota(client: KubeClient, namespace: string, pods: string): Promise<unknown> {
  const quota = { metadata: { name: 'few' }, spec: { hard: { pods } } } as NewObject<KubeObject>;
  return client.create(RESOURCE_QUOTAS, quota, { namespace });
}

/** The table. */
export const SITUATIONS: readonly Situation[] = [
  {
    what: 'a probe holds',
    options: one(webProbe('Edge')),
    ...{ code: 0, end: 'passed', before: ['chaos'], shows: /^web survived: / },
  },
  {
    what: 'nothing is checked',
    options: one(),
    ...{ code: 0, end: 'unchecked', before: ['chaos'], says: /nothing judged what users saw/ },
  },
  {
    what: 'a probe fails in the end',
    options: one(webProbe('EOT', '418')),
    ...{ code: 1, end: 'failedByProbe', says: /418/ },
  },
  {
    what: 'a probe fails and ends it',
    options: one(
      webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1, stopOnFailure: true'),
      LONG,
    ),
    // It looks at once, maybe before the first injection.
    ...{ code: 1, end: 'failedByProbe', before: ['stopping'] },
  },
  {
    what: 'of two faults one fails',
    options: {
      label: 'app=shop',
      experiments: [{ name: 'pod-delete' }, { name: 'container-kill', probes: webProbe('EOT', '418') }],
    },
    ...{ code: 1, end: 'failedByProbe' },
  },
  {
    what: 'of two faults one checks nothing',
    options: {
      label: 'app=till',
      experiments: [{ name: 'pod-delete', probes: webProbe('EOT') }, { name: 'container-kill' }],
    },
    ...{ code: 0, end: 'passed' },
  },
  {
    what: 'a probe fails before the chaos',
    options: one(webProbe('SOT', '418')),
    ...{ code: 5, end: 'notSteady' },
  },
  { what: 'a dry run', change: withField('dryRun: true'), code: 4, end: 'dryRun' },
  {
    what: 'the application is not healthy',
    options: {
      label: 'app=sick',
      experiments: [{ name: 'pod-delete', env: { DEFAULT_HEALTH_CHECK: 'true', STATUS_CHECK_TIMEOUT: '6' } }],
    },
    ...{ code: 5, end: 'notSteady', before: ['waiting'] },
  },
  {
    what: 'it is stopped while it waits for the application',
    options: {
      label: 'app=sick',
      experiments: [
        { name: 'pod-delete', env: { DEFAULT_HEALTH_CHECK: 'true', STATUS_CHECK_TIMEOUT: '600' } },
      ],
    },
    stop: { at: 'waiting', by: 'user' },
    ...{ code: 130, end: 'stopped', before: ['waiting'] },
  },
  {
    what: 'it is stopped by its user during the chaos',
    options: one(undefined, LONG),
    stop: { at: 'chaos', by: 'user' },
    ...{ code: 130, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'it is stopped by its user after its probe has failed',
    options: one(webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1'), LONG),
    change: withField('steadyState: ignore'),
    stop: { at: 'chaos', by: 'user', after: /instead of 418/, why: /^fails for/ },
    ...{ code: 130, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'somebody stops the engine during the chaos',
    options: one(undefined, LONG),
    stop: { at: 'chaos', by: 'engine' },
    ...{ code: 1, end: 'stopped', before: ['chaos'] },
    // An agent does not know who it was.
    byAgent: { code: 130, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'no node for the runner',
    change: withRunner('nodeSelector: { nowhere: x }'),
    stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*finds no node/ },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'no image for the runner',
    change: withRunner(`image: ${NOWHERE}`),
    stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*registry\.invalid/ },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'no image for the experiment',
    change: withComponent(`experimentImage: ${NOWHERE}`),
    stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*registry\.invalid/ },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'a quota has no room for the runner',
    namespace: 'full',
    code: 2,
    byAgent: {
      stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*exceeded quota: few/ },
      ...{ code: 130, end: 'stopped', before: ['blocked'] },
    },
  },
  {
    what: 'a quota has no room for the experiment',
    namespace: 'narrow',
    stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*exceeded quota: few/ },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'its account has no rights',
    options: { account: 'weak-sa' },
    code: 2,
    byAgent: {
      stop: { at: 'blocked', by: 'user', why: /^It cannot start: .*the runner failed .*weak-sa/ },
      ...{ code: 130, end: 'stopped', before: ['blocked'] },
    },
  },
  {
    what: 'chaos is halted in its namespace',
    namespace: 'halted',
    code: 3,
    byAgent: {
      stop: { at: 'blocked', by: 'user', why: /^It cannot start: chaos is halted in namespace/ },
      ...{ code: 130, end: 'stopped', before: ['blocked'] },
    },
  },
  {
    what: 'the only step of a workflow fails',
    change: workflow(ends('prepare', 3)),
    ...{ code: 1, end: 'failedByStep', before: ['running'], says: /prepare ended with exit code 3/ },
  },
  {
    what: 'a step of a workflow fails before its fault',
    change: workflow(ends('prepare', 3), chaosStep),
    ...{
      code: 1,
      end: 'failedByStep',
      says: /prepare ended with exit code 3; nothing was injected/,
    },
  },
  {
    what: 'a step of a workflow fails after a fault that passed',
    options: one(webProbe('Continuous')),
    change: workflow(chaosStep, ends('smoke-test', 3)),
    ...{
      code: 1,
      end: 'failedByStep',
      says: /smoke-test ended with exit code 3; the application held through the chaos/,
    },
  },
  {
    what: 'a workflow cannot be made out',
    change: workflow(ends('prepare', 0, 'echo {{workflow.parameters.url}}')),
    code: 2,
    byAgent: { code: 3, end: 'refused', says: /failed to resolve \{\{workflow\.parameters\.url\}\}/ },
  },
  {
    what: 'there is no such fault',
    options: { experiments: [{ name: 'pod-delet' }] },
    code: 2,
    byAgent: { code: 1, end: 'error', says: /ChaosExperiment .*not found/i },
  },
  {
    what: 'there is no such account',
    options: { account: 'nobody' },
    code: 2,
    byAgent: {
      ...{ code: 3, end: 'cannotStart', before: ['blocked'] },
      says: /service ?account "nobody" not found; create it or set spec\.chaosServiceAccount/,
    },
  },
  {
    what: 'nothing has the label',
    options: { label: 'app=nothing' },
    code: 2,
    byAgent: { code: 1, end: 'error', says: /app=nothing/ },
  },
  {
    what: 'a setting cannot be read',
    options: one(undefined, { TOTAL_CHAOS_DURATION: 'soon' }),
    code: 2,
    byAgent: { code: 1, end: 'error', says: /TOTAL_CHAOS_DURATION/ },
  },
  {
    what: 'a field is misspelled',
    change: (text) => text.replace('engineState', 'engineStat'),
    code: 2,
    // A cluster leaves out what it does not know, and an engine is active by itself.
    byAgent: { code: 0, end: 'unchecked' },
  },
];

/** The name of a situation's engine or workflow. */
export function nameOf(situation: Situation): string {
  return `situation-${SITUATIONS.indexOf(situation)}`;
}

/** The manifest of a situation, as a user would write it. */
export function manifestOf(situation: Situation): string {
  const { options, change, namespace = 'default' } = situation;
  const text = engine({ ...options, name: nameOf(situation) });
  const placed = text.replace(/metadata: \{ (name: [^ ]+) \}/, `metadata: { $1, namespace: ${namespace} }`);
  return change?.(placed) ?? placed;
}

/** A Deployment whose pod does not become ready. */
const SICK = {
  metadata: { name: 'sick', labels: { app: 'sick' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'sick' } },
    template: {
      metadata: { labels: { app: 'sick' } },
      spec: {
        containers: [
          {
            ...{ name: 'sick', image: 'turnsole/sample-web' },
            readinessProbe: { httpGet: { path: '/nowhere', port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

/** Pods of workflows say how they ended. */
const WORKFLOW_RULES = `${CHART_RULES}
  - { apiGroups: [argoproj.io], resources: [workflowtaskresults], verbs: [create, patch] }`;
const WEAK_ACCOUNT = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: weak-sa }
`;

/** What lets the account of a namespace hit the application. */
function mayHitDefault(namespace: string): string {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: chaos-of-${namespace}, namespace: default }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: ${namespace} }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: chaos-sa }
`;
}

/** Makes what the situations need: the application, accounts and experiments, and namespaces with what is wrong there. */
export async function prepareSituations(client: KubeClient): Promise<void> {
  const experiments = [experiment('pod-delete'), experiment('container-kill')];
  // What container-kill hits must not be deleted by a run beside it.
  const [shop, till] = ['shop', 'till'].map((name) =>
    webApp(1).replaceAll(/(name|app): web\b/g, `$1: ${name}`),
  );
  const apps = [webApp(), shop ?? '', till ?? ''];
  const app = [...apps, chaosAccount(WORKFLOW_RULES), WEAK_ACCOUNT, ...experiments];
  await applyText(client, documents(...app));
  await client.create<Deployment>(DEPLOYMENTS, SICK, { namespace: 'default' });
  for (const [namespace, prepare] of Object.entries(PLACES)) {
    if (namespace === 'default') continue;
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    const placed = documents(chaosAccount(), ...experiments)
      .replaceAll(/metadata: \{ name: ([\w-]+) \}/g, `metadata: { name: $1, namespace: ${namespace} }`)
      .replaceAll('namespace: default', `namespace: ${namespace}`);
    await applyText(client, documents(placed, mayHitDefault(namespace)));
    await prepare(client, namespace);
  }
}
