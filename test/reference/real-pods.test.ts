/**
 * Everything an engine and a ChaosExperiment may say about the pods of a run, at once, with real processes in isolated pods: what
 * the pods are made of, and what their programs find.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ConfigMap, Job, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { effectsImpossible, FaultCluster, standInsImpossible } from '../faults/support/fault-cluster.ts';

/** Says what it was told, and never ends by itself. */
const SIDECAR = {
  entrypoint: [
    '/bin/sh',
    '-c',
    'echo "main=$MAIN_CONTAINER pod=$POD_NAME ns=$POD_NAMESPACE own=$OWN map=$FROM_MAP mode=$MODE $(cat /side/token)"; exec sleep 100000',
  ],
};

/** Where pods share the machine's files, nothing is found at the paths that an engine mounts it at. */
const skip = effectsImpossible === false ? standInsImpossible : effectsImpossible;

if (skip !== false) {
  test('an engine that says everything', { skip });
} else {
  let cluster: FaultCluster;
  let namespace: string;
  let hostFolder: string;

  before(async () => {
    hostFolder = await mkdtemp(join(tmpdir(), 'turnsole-host-file-'));
    await writeFile(join(hostFolder, 'note'), 'of the node');
    cluster = await FaultCluster.start(1, new Map([['test/sidecar', SIDECAR]]));
    namespace = await cluster.namespace();
    await cluster.apply(namespace, objects());
    await cluster.pod(namespace, 'victim');
  });
  after(async () => {
    await cluster.close();
    await rm(hostFolder, { recursive: true });
  });

  /** What the experiment finds is printed before it starts. */
  const objects = (): string => `
apiVersion: v1
kind: Secret
metadata: { name: keys }
stringData: { token: s3cret }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: shared }
data: { FROM_MAP: from-the-map, word: of-the-map }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: everything-${namespace} }
subjects: [{ kind: ServiceAccount, name: chaos, namespace: ${namespace} }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: container-kill }
spec:
  definition:
    image: litmuschaos/go-runner:latest
    imagePullPolicy: Always
    command: [/bin/bash]
    args:
      - -c
      - >-
        echo "made=$(cat /made/word) moved=$(cat /moved/word) secret=$(cat /keys/token) host=$(cat /host/note)
        key=$KEY map=$MAP node=$NODE weak=$WEAK strong=$STRONG";
        exec ./experiments -name container-kill
    labels: { name: container-kill, tier: chaos }
    experimentAnnotations: { from: definition, both: definition }
    hostPID: true
    securityContext:
      podSecurityContext: { fsGroup: 2000 }
      containerSecurityContext: { allowPrivilegeEscalation: true }
    env:
      - { name: WEAK, value: definition }
      - { name: STRONG, value: definition }
    configMaps:
      - { name: made, mountPath: /made, data: { word: of-the-engineer } }
      - { name: shared, mountPath: /not-here }
    secrets: [{ name: keys, mountPath: /keys }]
    hostFileVolumes: [{ name: note, mountPath: /host, nodePath: ${hostFolder}, type: Directory }]
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata:
  name: full
  labels: { team: shop }
  annotations: { sidecar/enabled: 'true' }
spec:
  engineState: active
  chaosServiceAccount: chaos
  jobCleanUpPolicy: retain
  defaultHealthCheck: false
  terminationGracePeriodSeconds: 12
  selectors: { pods: [{ namespace: ${namespace}, names: victim }] }
  components:
    runner:
      runnerLabels: { mine: 'yes' }
      runnerAnnotations: { note: runner }
      nodeSelector: { kubernetes.io/hostname: turnsole-1 }
      imagePullSecrets: [{ name: pull-runner }]
      tolerations: [{ key: quiet, operator: Exists, effect: NoSchedule }]
      resources: { requests: { cpu: 20m }, limits: { memory: 300Mi } }
      configMaps: [{ name: shared, mountPath: /shared }]
      secrets: [{ name: keys, mountPath: /keys }]
    sidecar:
      - image: test/sidecar
        env: [{ name: OWN, value: sidecar }]
        envFrom: [{ configMapRef: { name: shared } }]
        secrets: [{ name: keys, mountPath: /side }]
  experiments:
    - name: container-kill
      spec:
        components:
          env:
            - { name: TOTAL_CHAOS_DURATION, value: '1' }
            - { name: CHAOS_INTERVAL, value: '1' }
            - { name: STRONG, value: engine }
            - { name: MODE, value: engine }
            - { name: KEY, valueFrom: { secretKeyRef: { name: keys, key: token } } }
            - { name: MAP, valueFrom: { configMapKeyRef: { name: shared, key: word } } }
            - { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
          configMaps: [{ name: shared, mountPath: /moved }]
          experimentAnnotations: { both: engine }
          nodeSelector: { kubernetes.io/os: linux }
          experimentImagePullSecrets: [{ name: pull-experiment }]
          tolerations: [{ key: quiet, operator: Exists }]
          resources: { requests: { memory: 100Mi }, limits: { memory: 500Mi } }
          statusCheckTimeouts: { delay: 1, timeout: 60 }
`;

  const get = <T extends Pod | Job | ConfigMap>(resource: typeof PODS, name: string): Promise<T> =>
    cluster.client.get<T>(resource, name, { namespace });

  async function podsWith(prefix: string): Promise<Pod[]> {
    const { items } = await cluster.client.list<Pod>(PODS, { namespace });
    return items.filter(({ metadata }) => metadata.name.startsWith(prefix));
  }

  test('an engine that says everything', async (t) => {
    const place = { namespace, timeoutMs: PATIENCE_MS };
    let last: ChaosEngine | undefined;
    await waitForObject<ChaosEngine>(
      cluster.client,
      CHAOS_ENGINES,
      'full',
      (found) => {
        last = found;
        return found?.status?.engineStatus === 'completed';
      },
      place,
    ).catch((cause: unknown) => {
      throw new Error(JSON.stringify(last?.status, undefined, 1), { cause });
    });

    await t.test('ends with a verdict, although its sidecars go on', () => {
      const entries = last?.status?.experiments?.map(({ name, verdict, reason = '' }) =>
        `${name} ${verdict} ${reason}`.trim(),
      );
      assert.deepEqual(entries, ['container-kill Pass']);
    });

    await t.test('the runner is as components.runner says', async () => {
      const { metadata, spec } = await get<Pod>(PODS, 'full-runner');
      assert.deepEqual([metadata.labels?.mine, metadata.labels?.app], ['yes', 'full']);
      assert.equal(metadata.annotations?.note, 'runner');
      assert.deepEqual(spec?.nodeSelector, { 'kubernetes.io/hostname': 'turnsole-1' });
      assert.ok(spec?.tolerations?.some(({ key }) => key === 'quiet'));
      const [container] = spec?.containers ?? [];
      assert.equal(container?.resources?.limits?.memory, '300Mi');
      const paths = container?.volumeMounts?.map(({ mountPath }) => mountPath);
      assert.ok(paths?.includes('/shared') && paths.includes('/keys'), String(paths));
      assert.equal(spec?.securityContext?.fsGroup, 2000, 'as the first experiment');
      assert.deepEqual(spec?.imagePullSecrets, [{ name: 'pull-runner' }]);
    });

    const [job] = (await cluster.client.list<Job>(JOBS, { namespace })).items;
    assert.ok(job);
    const jobName = job.metadata.name;
    const [pod] = await podsWith(jobName);
    assert.ok(pod);

    await t.test('the Job is as definition and engine say', () => {
      const { labels, annotations } = job.metadata;
      assert.deepEqual([labels?.tier, labels?.team, labels?.name], ['chaos', 'shop', 'container-kill']);
      assert.deepEqual([annotations?.from, annotations?.both], ['definition', 'engine']);
      const { spec, metadata } = pod;
      assert.deepEqual([metadata.labels?.tier, metadata.annotations?.both], ['chaos', 'engine']);
      assert.equal(spec?.terminationGracePeriodSeconds, 12);
      assert.equal(spec?.restartPolicy, 'Never');
      assert.equal(spec?.hostPID, true);
      assert.equal(spec?.serviceAccountName, 'chaos');
      assert.deepEqual(spec?.imagePullSecrets, [{ name: 'pull-experiment' }]);
      assert.equal(spec?.nodeSelector?.['kubernetes.io/os'], 'linux');
      assert.ok(spec?.tolerations?.some(({ key }) => key === 'quiet'));
      const [main] = spec?.containers ?? [];
      assert.equal(main?.name, jobName);
      assert.equal(main?.imagePullPolicy, 'Always');
      assert.equal(main?.resources?.limits?.memory, '500Mi');
      assert.equal(main?.securityContext?.allowPrivilegeEscalation, true);
      const env = new Map(main?.env?.map(({ name, value }) => [name, value]));
      assert.equal(env.get('STATUS_CHECK_TIMEOUT'), '60');
      assert.equal(env.get('DEFAULT_HEALTH_CHECK'), 'false');
      assert.equal(env.get('TARGETS'), `pod:${namespace}:[victim]`);
    });

    await t.test('the experiment finds its files and variables', async () => {
      const log = await cluster.client.log(pod.metadata.name, { namespace, container: jobName });
      assert.equal(
        log.split('\n')[0],
        'made=of-the-engineer moved=of-the-map secret=s3cret host=of the node ' +
          'key=s3cret map=of-the-map node=turnsole-1 weak=definition strong=engine',
      );
    });

    await t.test('a config map with data is made and belongs to the engine', async () => {
      const made = await get<ConfigMap>(CONFIG_MAPS, 'made');
      assert.equal(made.metadata.ownerReferences?.[0]?.uid, last?.metadata.uid);
    });

    await t.test('sidecars stand beside the experiment and its helper, and find what they need', async () => {
      const [helper] = await podsWith('container-kill-helper-');
      assert.ok(helper);
      const said = async (of: Pod): Promise<string> => {
        const container = of.spec?.containers[1]?.name ?? '';
        assert.match(container, /-sidecar-/);
        const text = await cluster.client.log(of.metadata.name, { namespace, container });
        return text.trim();
      };
      assert.equal(
        await said(pod),
        `main=${jobName} pod=${pod.metadata.name} ns=${namespace} own=sidecar map=from-the-map mode= s3cret`,
      );
      const name = helper.metadata.name;
      assert.equal(
        await said(helper),
        `main=container-kill pod=${name} ns=${namespace} own=sidecar map=from-the-map mode=engine s3cret`,
      );
      assert.equal(helper.metadata.labels?.tier, 'chaos');
      assert.deepEqual(helper.spec?.imagePullSecrets, [{ name: 'pull-experiment' }]);
      assert.equal(helper.metadata.annotations?.both, 'engine');
      assert.equal(helper.spec?.containers[0]?.resources?.limits?.memory, '500Mi');
    });

    await t.test('all of it goes with the engine', async () => {
      await cluster.client.delete(CHAOS_ENGINES, 'full', { namespace });
      await waitForObject(cluster.client, CHAOS_ENGINES, 'full', (found) => found === undefined, place);
      for (const { metadata } of [job, pod]) {
        const resource = metadata === job.metadata ? JOBS : PODS;
        await waitForObject(cluster.client, resource, metadata.name, (found) => found === undefined, place);
      }
      await waitForObject(cluster.client, CONFIG_MAPS, 'made', (found) => found === undefined, place);
      assert.deepEqual(
        (await podsWith('')).map(({ metadata }) => metadata.name),
        ['victim'],
      );
    });
  });
}
