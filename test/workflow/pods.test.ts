/**
 * The pods that we make, beside those that Argo's own controller made for the same nodes: what does not depend on helper containers.
 * The recordings are data from outside of this project: in the folder `TURNSOLE_ARGO`, or beside the checkout; without them the test is
 * skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Container, EnvVar, Pod, VolumeMount } from '@turnsole/kube/kinds/core';
import { equalJson, equivalentJson, isObject } from '@turnsole/kube/text/json';
import { type ArtifactRepository, DEFAULT_FORMAT } from '@turnsole/workflows/artifacts/repository';
import type { CreatePod } from '@turnsole/workflows/engine/change';
import type { Run } from '@turnsole/workflows/engine/run';
import { globalNames } from '@turnsole/workflows/engine/substitution/globals';
import { LABEL_COMPLETED, LABEL_INSTANCE_ID } from '@turnsole/workflows/kinds/labels';
import type { WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import { nodePod } from '@turnsole/workflows/pods/node-pod';
import type { PodSettings } from '@turnsole/workflows/pods/settings';
import { factsOf, workflowOf } from './recordings/manifests.ts';
import type { RecordedPod, Recording } from './recordings/recording.ts';
import { replay } from './recordings/replay.ts';

const FOLDER = process.env['TURNSOLE_ARGO'] ?? join(import.meta.dirname, '../../../shared/argo');

/** As the recorded controller was configured. */
const SETTINGS: PodSettings = {
  helper: {
    image: 'turnsole',
    commands: {
      init: ['init'],
      wait: ['wait'],
      resource: ['resource'],
      data: ['data'],
      garbage: ['garbage'],
    },
  },
  images: {
    'argoproj/argosay:v1': { entrypoint: ['cowsay'] },
    'argoproj/argosay:v2': { entrypoint: ['/argosay'], args: ['/argosay'] },
    'docker/whalesay:latest': { entrypoint: ['/bin/bash'] },
    'influxdb:1.2': { entrypoint: ['influxd'], args: ['influxd'] },
  },
};

/** A stand-in for the repository of the recordings: which store it is shows in helpers only. */
const REPOSITORY: ArtifactRepository = {
  store: { kind: 's3', fields: { bucket: 'my-bucket', endpoint: 'minio:9000', insecure: true } },
  keyFormat: DEFAULT_FORMAT,
  archiveLogs: false,
};

/** Where ours is different on purpose, or cannot be compared. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'retry-backoff.json':
    'the end of maxDuration is a deadline of the pod; Argo gives it to its executor, which these pods do not have',
  'variants/v-retry-backoff-max.json':
    'the end of maxDuration is a deadline of the pod; Argo gives it to its executor, which these pods do not have',
  'exit-handlers.json': 'its text has times of the run',
  'variables-showcase.json': 'its text has times of the run',
  'variants/v-exit-vars.json': 'its text has times of the run',
  'k8s-orchestration.json': 'the recorder shortened the name of the image',
  'k8s-patch-json-pod.json': 'the step added an annotation to its own pod',
  'k8s-patch-merge-pod.json': 'the step added an annotation to its own pod',
  'k8s-patch-pod.json': 'the step added an annotation to its own pod',
  'pod-resources.json': 'the recorder kept no resources of whole pods',
  'pod-resources-template-override.json': 'the recorder kept no resources of whole pods',
  'pod-spec-from-previous-step.json': 'the API server wrote 2000m as 2',
};

/** What the API server of the recordings filled in. */
const SERVED = {
  serviceAccountName: 'default',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
};

/** Pods that have to be the same; raised with every one more. */
const FEWEST = 608;

/** Volumes of Argo's helpers and of its artifact repository. */
const HELPER_VOLUMES: ReadonlySet<string> = new Set([
  'var-run-argo',
  'tmp-dir-argo',
  'input-artifacts',
  'argo-staging',
  'my-minio-cred',
]);

const NOW = Date.parse('2026-01-01T00:00:00Z');

type FullPod = RecordedPod & {
  readonly ownerReferences: readonly object[];
  readonly volumes: readonly { readonly name: string }[];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly tolerations: readonly unknown[];
};

test('pods are those of the real controller', {
  skip: !existsSync(FOLDER) && `no recordings at ${FOLDER}`,
}, (t) => {
  const { recorded } = JSON.parse(readFileSync(join(FOLDER, 'recorded/index.json'), 'utf8')) as {
    readonly recorded: readonly {
      readonly file: string;
      readonly manifest: string;
      readonly workflow: string;
    }[];
  };
  const facts = { examples: factsOf(join(FOLDER, 'examples')), variants: factsOf(join(FOLDER, 'variants')) };
  const wrong: string[] = [];
  let equal = 0;
  let deliberate = 0;
  let unmade = 0;
  for (const { file, manifest, workflow: name } of recorded) {
    const recording = JSON.parse(readFileSync(join(FOLDER, 'recorded', file), 'utf8')) as Partial<Recording>;
    if (recording.nodes === undefined || !existsSync(join(FOLDER, manifest)) || manifest.endsWith('/'))
      continue;
    const workflow = workflowOf(join(FOLDER, manifest), name);
    const ofFolder = manifest.startsWith('examples') ? facts.examples : facts.variants;
    const { run, pods } = replay(recording as Recording, workflow, ofFolder);
    for (const recordedPod of (recording.pods ?? []) as readonly FullPod[]) {
      const action = pods.find(({ podName }) => podName === recordedPod.name);
      if (action === undefined) {
        unmade++;
        continue;
      }
      const difference = differenceUnlessError(run, action, recordedPod);
      if (difference === undefined) equal++;
      else if (DIFFERENCES[file] !== undefined) deliberate++;
      else wrong.push(`${file} ${recordedPod.name}: ${difference}`);
    }
  }
  t.diagnostic(
    `pods equal: ${equal}; deliberately different: ${deliberate}; different: ${wrong.length}; of no node that the engine made: ${unmade}`,
  );
  assert.deepEqual(wrong, []);
  assert.ok(equal >= FEWEST, `${equal} pods are equal, ${FEWEST} were`);
});

function differenceUnlessError(run: Run, action: CreatePod, recorded: FullPod): string | undefined {
  try {
    return differenceOf(run, action, recorded);
  } catch (error) {
    return String(error);
  }
}

function differenceOf(run: Run, action: CreatePod, recorded: FullPod): string | undefined {
  const boundary = run.nodes.get(action.boundary ?? '');
  const { values: parameters } = run.parameters;
  const { workflow, spec } = run;
  const owner = {
    workflow: {
      ...workflow,
      metadata: { ...workflow.metadata, labels: { ...workflow.metadata.labels, ...instanceOf(recorded) } },
    },
    spec,
    boundary: spec.templates?.find(({ name }) => name === boundary?.templateName),
    library: libraryOf(run, action),
    names: globalNames({ workflow, spec, parameters }, { phase: '' }, NOW),
    repository: REPOSITORY,
    now: NOW,
  };
  const made = comparable(nodePod(owner, action, SETTINGS).pod, action);
  const expected = comparableOf(recorded, action);
  for (const key of Object.keys(expected)) {
    if (!equivalentJson(made[key], expected[key]))
      return `${key}: ${JSON.stringify(made[key])}, recorded ${JSON.stringify(expected[key])}`;
  }
  return undefined;
}

/** The spec of the object that the template is of. */
function libraryOf({ nodes, facts }: Run, { node: id }: CreatePod): WorkflowSpec | undefined {
  const node = nodes.get(id);
  const name = node?.templateRef?.name ?? /^namespaced\/(.*)$/.exec(node?.templateScope ?? '')?.[1];
  return facts.workflowTemplates.get(name ?? '')?.spec;
}

/** The recorder gave the label of the instance to workflows when it submitted them. */
function instanceOf({ labels }: RecordedPod): Record<string, string> {
  const id = labels[LABEL_INSTANCE_ID];
  return id === undefined ? {} : { [LABEL_INSTANCE_ID]: id };
}

type Comparable = Readonly<Record<string, unknown>>;

function comparable({ metadata, spec }: Pod, action: CreatePod): Comparable {
  const {
    containers = [],
    initContainers = [],
    volumes = [],
    tolerations = [],
    affinity: _none,
    ...rest
  } = spec ?? { containers: [] };
  const [owner] = metadata.ownerReferences ?? [];
  return {
    name: metadata.name,
    labels: { ...metadata.labels, [LABEL_COMPLETED]: '' },
    annotations: metadata.annotations,
    owner: { ...owner, uid: undefined },
    spec: { ...SERVED, ...defined(rest), ...shownFields(rest) },
    tolerations,
    volumes: byName(volumes.filter(({ name }) => !name.startsWith('turnsole'))),
    initContainers: containersOf(initContainers, action),
    containers: containersOf(containers, action),
  };
}

function comparableOf(pod: FullPod, action: CreatePod): Comparable {
  const [owner] = pod.ownerReferences;
  return {
    name: pod.name,
    labels: { ...pod.labels, [LABEL_COMPLETED]: '' },
    annotations: pod.annotations,
    owner,
    spec: { ...pod.spec, ...shownFields(pod.spec) },
    tolerations: pod.tolerations,
    volumes: byName(pod.volumes.filter(({ name }) => !HELPER_VOLUMES.has(name))),
    initContainers: containersOf(pod.initContainers.filter(isObject), action),
    containers: containersOf(pod.containers.filter(isObject), action),
  };
}

/** Seconds depend on the time; requests are filled in by the API server. */
function shownFields(spec: {
  readonly activeDeadlineSeconds?: unknown;
  readonly resources?: unknown;
}): Record<string, unknown> {
  return {
    activeDeadlineSeconds: spec.activeDeadlineSeconds && 'set',
    resources: withRequests(spec.resources),
  };
}

function withRequests(resources: unknown): object | undefined {
  if (!isObject(resources) || !isObject(resources['limits']))
    return isObject(resources) ? resources : undefined;
  const requests = isObject(resources['requests']) ? resources['requests'] : {};
  return { ...resources, requests: { ...resources['limits'], ...requests } };
}

function defined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function byName(items: readonly { readonly name: string }[]): Record<string, unknown> {
  return Object.fromEntries(items.map((item) => [item.name, item]));
}

/** Containers of users, without what helpers need. What our own image does in `main` is not what Argo's does. */
function containersOf(list: readonly unknown[], { template }: CreatePod): Record<string, unknown> {
  const isOwn = template.resource !== undefined || template.data !== undefined;
  const users = (list as readonly Container[]).filter(({ name }) => name !== 'init' && name !== 'wait');
  return Object.fromEntries(
    users.map((container) => [container.name, isOwn ? 'own' : userContainer(container)]),
  );
}

function userContainer({
  env,
  volumeMounts = [],
  command = [],
  args,
  readinessProbe,
  ...rest
}: Container): object {
  const known = SETTINGS.images?.[rest.image ?? ''];
  const unwrapped = command.includes('--') ? command.slice(command.indexOf('--') + 1) : command;
  return {
    ...rest,
    wrapped: undefined,
    command: unwrapped.length > 0 ? unwrapped : known?.entrypoint,
    // Not in every recording the configuration gave arguments to images.
    args: equalJson(args, known?.args) ? undefined : args,
    resources: withRequests(rest.resources),
    // The API server filled in the rest of a probe.
    readinessProbe: readinessProbe?.httpGet && {
      path: readinessProbe.httpGet.path,
      port: readinessProbe.httpGet.port,
    },
    env: envOf(env),
    volumeMounts: volumeMounts.flatMap(mountOf).toSorted((a, b) => a.mountPath.localeCompare(b.mountPath)),
  };
}

function envOf(env: readonly EnvVar[] | Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const entries = Array.isArray(env)
    ? env.map(({ name, value, valueFrom }: EnvVar) => [name, value ?? valueFrom] as const)
    : Object.entries(env);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('ARGO_')));
}

/** Inputs come from other volumes than Argo's, to the same paths. */
function mountOf({ name, mountPath, subPath, readOnly }: VolumeMount): VolumeMount[] {
  if (mountPath.startsWith('/var/run/turnsole')) return [];
  if (name === 'argo-staging') return [{ name: 'input', mountPath: '/argo/staging/script' }];
  if (name === 'input-artifacts' || name.startsWith('turnsole')) return [{ name: 'input', mountPath }];
  return [{ name, mountPath, subPath, readOnly }];
}
