import type { Pod } from '@turnsole/kube/kinds/core';
import {
  container,
  daemonSet,
  FOREVER,
  fileProbe,
  pod,
  replicaSet,
  round,
  service,
  sh,
  statefulSet,
  template,
} from '../builders.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

async function setReady(lab: Lab, name: string, replicas: number): Promise<void> {
  await lab.until(
    'StatefulSet',
    name,
    ({ status }) => (status?.readyReplicas ?? 0) === replicas && status?.replicas === replicas,
  );
}

function isOfRound2({ metadata, status }: Pod): boolean {
  return metadata.annotations?.round === '2' && status?.containerStatuses?.[0]?.ready === true;
}

/** Marks the node for a daemon set of this scenario alone. */
async function mark(lab: Lab, value: string | null): Promise<void> {
  await lab.change('Node', lab.node, { metadata: { labels: { [lab.namespace]: value } } });
}

export const sets: ControllerTheme = {
  theme: 'sets',
  scenarios: [
    {
      name: 'replica-set-adoption',
      run: async (lab) => {
        await lab.create(pod('lone', {}, { labels: { app: 'web' } }));
        await lab.until('Pod', 'lone', ({ status }) => status?.phase === 'Running');
        await lab.create(replicaSet('web', 2));
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 2);
        await lab.show('one of two was there', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'replica-set-release',
      run: async (lab) => {
        await lab.create(replicaSet('web', 1));
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.change('Pod', lab.list('Pod')[0]?.metadata.name ?? '', {
          metadata: { labels: { app: 'other' } },
        });
        await lab.untilAll(
          'Pod',
          (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 2,
        );
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.show('released and replaced', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'replica-set-too-many',
      run: async (lab) => {
        await lab.create(pod('ready', {}, { labels: { app: 'web' } }));
        await lab.create(
          pod(
            'not-ready',
            { containers: [container('main', FOREVER, { readinessProbe: fileProbe('/nowhere') })] },
            { labels: { app: 'web' } },
          ),
        );
        await lab.untilAll(
          'Pod',
          (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 2,
        );
        await lab.create(replicaSet('web', 1));
        await lab.untilAll('Pod', (pods) => pods.length === 1);
        await lab.show('the one that is ready stays', 'ReplicaSet', 'Pod');
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete');
      },
    },
    {
      name: 'replica-set-replaces-failed-pods',
      run: async (lab) => {
        await lab.create(replicaSet('web', 1));
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        const old = lab.list('Pod')[0]?.metadata.name ?? '';
        await lab.change('Pod', old, { spec: { activeDeadlineSeconds: 1 } });
        await lab.until('Pod', old, ({ status }) => status?.phase === 'Failed');
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.show('replaced, and kept to be looked at', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'stateful-set-ordered',
      run: async (lab) => {
        const order = lab.trace('Pod', ({ metadata, status }, isGone) => {
          if (isGone) return `${metadata.name} gone`;
          if (metadata.deletionTimestamp !== undefined) return undefined;
          const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
          return ready === true ? `${metadata.name} ready` : `${metadata.name} made`;
        });
        await lab.create(service('db', { clusterIP: 'None' }), statefulSet('db', 3));
        await setReady(lab, 'db', 3);
        await lab.show('three', 'StatefulSet', 'Pod', 'ControllerRevision');
        await lab.change('StatefulSet', 'db', { spec: { replicas: 1 } });
        await lab.untilAll('Pod', (pods) => pods.length === 1);
        await setReady(lab, 'db', 1);
        await lab.show('one', 'StatefulSet', 'Pod');
        await order.show('one after the other, up and down');
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete');
      },
    },
    {
      name: 'stateful-set-parallel',
      run: async (lab) => {
        const never = { containers: [container('main', FOREVER, { readinessProbe: fileProbe('/nowhere') })] };
        await lab.create(
          statefulSet('db', 2, { podManagementPolicy: 'Parallel', template: template('db', never) }),
        );
        await lab.untilAll(
          'Pod',
          (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 2,
        );
        await lab.show('both run although none is ready', 'StatefulSet', 'Pod');
      },
    },
    {
      name: 'stateful-set-stuck',
      run: async (lab) => {
        const never = { containers: [container('main', FOREVER, { readinessProbe: fileProbe('/nowhere') })] };
        await lab.create(statefulSet('db', 2, { template: template('db', never) }));
        await lab.until('Pod', 'db-0', ({ status }) => status?.phase === 'Running');
        await lab.show('the second is not made', 'StatefulSet', 'Pod');
      },
    },
    {
      name: 'stateful-set-partition',
      run: async (lab) => {
        const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
        await lab.create(statefulSet('db', 2, { updateStrategy }));
        await setReady(lab, 'db', 2);
        await lab.change('StatefulSet', 'db', round(2));
        await lab.until(
          'StatefulSet',
          'db',
          ({ status }) => status?.updatedReplicas === 1 && status.readyReplicas === 2,
        );
        await lab.show('from ordinal 1 on', 'StatefulSet', 'Pod', 'ControllerRevision');
        await lab.change('StatefulSet', 'db', {
          spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
        });
        await lab.until(
          'StatefulSet',
          'db',
          ({ status }) => status?.currentRevision === status?.updateRevision && status?.readyReplicas === 2,
        );
        await lab.show('all', 'StatefulSet', 'Pod', 'ControllerRevision');
      },
    },
    {
      name: 'stateful-set-on-delete',
      run: async (lab) => {
        await lab.create(statefulSet('db', 2, { updateStrategy: { type: 'OnDelete' } }));
        await setReady(lab, 'db', 2);
        await lab.change('StatefulSet', 'db', round(2));
        await lab.until(
          'StatefulSet',
          'db',
          ({ metadata, status }) => status?.observedGeneration === metadata.generation,
        );
        await lab.remove('Pod', 'db-0');
        await lab.until('Pod', 'db-0', ({ metadata }) => metadata.annotations?.round === '2');
        await setReady(lab, 'db', 2);
        await lab.show('only what was deleted is new', 'StatefulSet', 'Pod');
      },
    },
    {
      name: 'stateful-set-rolling-update',
      run: async (lab) => {
        await lab.create(statefulSet('db', 2));
        await setReady(lab, 'db', 2);
        const order = lab.trace('Pod', ({ metadata }, isGone) =>
          isGone ? `${metadata.name} gone` : undefined,
        );
        await lab.change('StatefulSet', 'db', round(2));
        await lab.untilAll('Pod', (pods) => pods.length === 2 && pods.every(isOfRound2));
        await setReady(lab, 'db', 2);
        await lab.show('updated', 'StatefulSet', 'Pod', 'ControllerRevision');
        await order.show('the last one first');
      },
    },
    {
      name: 'stateful-set-orphan',
      run: async (lab) => {
        await lab.create(statefulSet('db', 1));
        await setReady(lab, 'db', 1);
        await lab.remove('StatefulSet', 'db', { propagationPolicy: 'Orphan' });
        await lab.untilGone('StatefulSet', 'db');
        await lab.show('orphans', 'Pod', 'ControllerRevision');
        await lab.create(statefulSet('db', 1));
        await setReady(lab, 'db', 1);
        await lab.show('adopted', 'StatefulSet', 'Pod', 'ControllerRevision');
      },
    },
    {
      name: 'stateful-set-failed-pod',
      run: async (lab) => {
        await lab.create(statefulSet('db', 1));
        await setReady(lab, 'db', 1);
        const uid = lab.list('Pod')[0]?.metadata.uid;
        await lab.change('Pod', 'db-0', { spec: { activeDeadlineSeconds: 1 } });
        await lab.until(
          'Pod',
          'db-0',
          ({ metadata, status }) => metadata.uid !== uid && status?.phase === 'Running',
        );
        await setReady(lab, 'db', 1);
        await lab.show('made anew', 'StatefulSet', 'Pod');
        await lab.showEvents('told', 'RecreatingFailedPod', 'SuccessfulCreate', 'SuccessfulDelete');
      },
    },
    {
      name: 'daemon-set-selector',
      run: async (lab) => {
        const spec = { nodeSelector: { [lab.namespace]: 'yes' } };
        await lab.create(daemonSet('agent', { template: template('agent', spec) }));
        await lab.until('DaemonSet', 'agent', ({ status }) => status?.observedGeneration === 1);
        await lab.show('no node is meant', 'DaemonSet', 'Pod');
        await mark(lab, 'yes');
        await lab.until('DaemonSet', 'agent', ({ status }) => status?.numberAvailable === 1);
        await lab.show('the node is meant', 'DaemonSet', 'Pod', 'ControllerRevision');
        await mark(lab, null);
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        await lab.show('and not any more', 'DaemonSet', 'Pod');
        await lab.showEvents('told', 'SuccessfulCreate', 'SuccessfulDelete', 'Killing');
      },
    },
    {
      name: 'daemon-set-update',
      run: async (lab) => {
        await mark(lab, 'yes');
        const spec = { nodeSelector: { [lab.namespace]: 'yes' } };
        await lab.create(daemonSet('agent', { template: template('agent', spec) }));
        await lab.until('DaemonSet', 'agent', ({ status }) => status?.numberAvailable === 1);
        await lab.change('DaemonSet', 'agent', round(2));
        await lab.until(
          'DaemonSet',
          'agent',
          ({ status }) =>
            status?.observedGeneration === 2 &&
            status.updatedNumberScheduled === 1 &&
            status.numberAvailable === 1,
        );
        await lab.show('updated', 'DaemonSet', 'Pod', 'ControllerRevision');
        await mark(lab, null);
      },
    },
    {
      name: 'daemon-set-on-delete',
      run: async (lab) => {
        await mark(lab, 'yes');
        const spec = { nodeSelector: { [lab.namespace]: 'yes' } };
        await lab.create(
          daemonSet('agent', { updateStrategy: { type: 'OnDelete' }, template: template('agent', spec) }),
        );
        await lab.until('DaemonSet', 'agent', ({ status }) => status?.numberAvailable === 1);
        await lab.change('DaemonSet', 'agent', round(2));
        await lab.until('DaemonSet', 'agent', ({ status }) => status?.observedGeneration === 2);
        await lab.show('nothing is replaced', 'DaemonSet', 'Pod');
        const old = lab.list('Pod')[0]?.metadata.name ?? '';
        await lab.remove('Pod', old);
        await lab.untilGone('Pod', old);
        await lab.until(
          'DaemonSet',
          'agent',
          ({ status }) => status?.updatedNumberScheduled === 1 && status.numberAvailable === 1,
        );
        await lab.show('replaced by hand', 'DaemonSet', 'Pod');
        await mark(lab, null);
      },
    },
    {
      name: 'daemon-set-failed-pod',
      run: async (lab) => {
        await mark(lab, 'yes');
        const spec = { nodeSelector: { [lab.namespace]: 'yes' }, command: sh('sleep 0.2; exit 1') };
        await lab.create(daemonSet('agent', { template: template('agent', spec) }));
        await lab.untilAll('Pod', (pods) =>
          pods.some(
            ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
          ),
        );
        await lab.show('crashing', 'DaemonSet');
        await mark(lab, null);
      },
    },
  ],
};
