import { container, deployment, FOREVER, fileProbe, round, template } from '../builders.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

/** Waits until a rollout is complete, with this many pods and this many replica sets. */
async function rolledOut(lab: Lab, name: string, replicas: number, revision: number): Promise<void> {
  await lab.until('Deployment', name, ({ metadata, spec, status }) => {
    const { updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status ?? {};
    return (
      metadata.annotations?.['deployment.kubernetes.io/revision'] === String(revision) &&
      observedGeneration === metadata.generation &&
      spec?.replicas === replicas &&
      updatedReplicas === replicas &&
      availableReplicas === replicas &&
      status?.replicas === replicas
    );
  });
  await lab.untilAll('Pod', (pods) => pods.length === replicas);
}

function isOver(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

const NEVER_READY = { readinessProbe: fileProbe('/nowhere') };

export const deployments: ControllerTheme = {
  theme: 'deployments',
  scenarios: [
    {
      name: 'deployment-create',
      run: async (lab) => {
        await lab.create(deployment('web', 3));
        await rolledOut(lab, 'web', 3, 1);
        await lab.show('all available', 'Deployment', 'ReplicaSet', 'Pod');
        await lab.showEvents(
          'told',
          'ScalingReplicaSet',
          'SuccessfulCreate',
          'Scheduled',
          'Pulled',
          'Created',
          'Started',
        );
      },
    },
    {
      name: 'deployment-rolling-update',
      run: async (lab) => {
        await lab.create(
          deployment('web', 4, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
        );
        await rolledOut(lab, 'web', 4, 1);
        let least = Number.POSITIVE_INFINITY;
        lab.trace('Deployment', ({ status }) => {
          least = Math.min(least, status?.availableReplicas ?? 0);
          return undefined;
        });
        await lab.change('Deployment', 'web', round(2));
        await rolledOut(lab, 'web', 4, 2);
        await lab.show('updated', 'Deployment', 'Pod');
        // In how many steps the sets get there depends on how quick pods are.
        await lab.showValue('sets', () =>
          lab
            .list('ReplicaSet')
            .map(({ spec, status }) => [spec?.replicas, status?.replicas])
            .sort(),
        );
        await lab.showValue('bounds', () => ({ least: least >= 3 }));
      },
    },
    {
      name: 'deployment-surge-only',
      run: async (lab) => {
        await lab.create(
          deployment('web', 2, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
        );
        await rolledOut(lab, 'web', 2, 1);
        await lab.change('Deployment', 'web', round(2));
        await rolledOut(lab, 'web', 2, 2);
        await lab.show('updated', 'Deployment', 'ReplicaSet');
        await lab.showEvents('told', 'ScalingReplicaSet', 'SuccessfulCreate', 'SuccessfulDelete');
      },
    },
    {
      name: 'deployment-paused',
      run: async (lab) => {
        await lab.create(deployment('web', 2));
        await rolledOut(lab, 'web', 2, 1);
        await lab.change('Deployment', 'web', { spec: { paused: true } });
        await lab.change('Deployment', 'web', round(2));
        await lab.change('Deployment', 'web', { spec: { replicas: 3 } });
        await lab.until('Deployment', 'web', ({ status }) => status?.availableReplicas === 3);
        await lab.show('paused: scaled, and not updated', 'Deployment', 'ReplicaSet');
        await lab.change('Deployment', 'web', { spec: { paused: false } });
        await rolledOut(lab, 'web', 3, 2);
        await lab.show('resumed', 'Deployment', 'ReplicaSet');
      },
    },
    {
      name: 'deployment-history-limit',
      run: async (lab) => {
        await lab.create(deployment('web', 1, { revisionHistoryLimit: 1 }));
        await rolledOut(lab, 'web', 1, 1);
        for (const number of [2, 3]) {
          await lab.change('Deployment', 'web', round(number));
          await rolledOut(lab, 'web', 1, number);
        }
        await lab.untilAll('ReplicaSet', (sets) => sets.length === 2);
        await lab.show('two revisions are left', 'Deployment', 'ReplicaSet');
      },
    },
    {
      name: 'deployment-rollback',
      run: async (lab) => {
        await lab.create(deployment('web', 1));
        await rolledOut(lab, 'web', 1, 1);
        await lab.change('Deployment', 'web', round(2));
        await rolledOut(lab, 'web', 1, 2);
        await lab.change('Deployment', 'web', { spec: { template: { metadata: { annotations: null } } } });
        await rolledOut(lab, 'web', 1, 3);
        await lab.change('Deployment', 'web', round(2));
        await rolledOut(lab, 'web', 1, 4);
        await lab.show('revisions and their history', 'Deployment', 'ReplicaSet');
      },
    },
    {
      name: 'deployment-recreate',
      run: async (lab) => {
        await lab.create(deployment('web', 2, { strategy: { type: 'Recreate' } }));
        await rolledOut(lab, 'web', 2, 1);
        // Later versions say that a pod is over before it goes, and do not wait for that.
        // Later versions say that a pod is over before it goes, and do not wait for that.
        const order = lab.trace('Pod', ({ metadata, status }, isGone) => {
          const number = metadata.annotations?.round ?? '1';
          if (number === '1') return isGone || isOver(status?.phase) ? 'an old one is over' : undefined;
          return status?.phase === 'Running' ? 'a new one runs' : undefined;
        });
        await lab.change('Deployment', 'web', round(2));
        await rolledOut(lab, 'web', 2, 2);
        await lab.show('updated', 'Deployment', 'ReplicaSet', 'Pod');
        await order.show('the old ones go first');
        await lab.showEvents('told', 'ScalingReplicaSet');
      },
    },
    {
      name: 'deployment-progress-deadline',
      run: async (lab) => {
        await lab.create(
          deployment('web', 1, {
            progressDeadlineSeconds: 2,
            template: template('web', { containers: [container('main', FOREVER, NEVER_READY)] }),
          }),
        );
        await lab.until(
          'Deployment',
          'web',
          ({ status }) =>
            status?.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded') === true,
        );
        await lab.show('no progress', 'Deployment', 'ReplicaSet');
      },
    },
    {
      name: 'deployment-scale-during-rollout',
      run: async (lab) => {
        await lab.create(
          deployment('web', 4, { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } }),
        );
        await rolledOut(lab, 'web', 4, 1);
        await lab.change('Deployment', 'web', {
          spec: { template: { spec: { containers: [container('main', FOREVER, NEVER_READY)] } } },
        });
        await lab.until(
          'Deployment',
          'web',
          ({ status }) => status?.updatedReplicas === 3 && status.replicas === 6,
        );
        await lab.show('half way, and stuck', 'Deployment', 'ReplicaSet');
        await lab.change('Deployment', 'web', { spec: { replicas: 8 } });
        await lab.until('Deployment', 'web', ({ status }) => status?.replicas === 10);
        await lab.show('both sets have grown', 'Deployment', 'ReplicaSet');
      },
    },
    {
      name: 'deployment-min-ready-seconds',
      // A controller that gets no turn for three seconds sees ready and available at once, in any cluster.
      alone: true,
      run: async (lab) => {
        const availability = lab.trace('Deployment', ({ status }) =>
          status?.readyReplicas === 1 ? `available ${status.availableReplicas ?? 0}` : undefined,
        );
        await lab.create(deployment('web', 1, { minReadySeconds: 3 }));
        await rolledOut(lab, 'web', 1, 1);
        await lab.show('available', 'Deployment', 'ReplicaSet');
        await availability.show('ready before available');
      },
    },
    {
      name: 'deployment-orphan-and-adoption',
      run: async (lab) => {
        await lab.create(deployment('web', 2));
        await rolledOut(lab, 'web', 2, 1);
        await lab.remove('Deployment', 'web', { propagationPolicy: 'Orphan' });
        await lab.untilGone('Deployment', 'web');
        await lab.show('orphans', 'ReplicaSet', 'Pod');
        await lab.create(deployment('web', 2));
        await rolledOut(lab, 'web', 2, 1);
        await lab.show('adopted', 'Deployment', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'deployment-scale-to-nothing',
      run: async (lab) => {
        await lab.create(deployment('web', 2));
        await rolledOut(lab, 'web', 2, 1);
        await lab.change('Deployment', 'web', { spec: { replicas: 0 } }, 'scale');
        await lab.untilAll('Pod', (pods) => pods.length === 0);
        await lab.show('nothing runs', 'Deployment', 'ReplicaSet');
        await lab.showEvents('told', 'ScalingReplicaSet', 'SuccessfulDelete', 'Killing');
      },
    },
    {
      name: 'deployment-pod-deleted',
      run: async (lab) => {
        await lab.create(deployment('web', 2));
        await rolledOut(lab, 'web', 2, 1);
        const [victim] = lab.list('Pod');
        await lab.remove('Pod', victim?.metadata.name ?? '');
        await lab.untilGone('Pod', victim?.metadata.name ?? '');
        await rolledOut(lab, 'web', 2, 1);
        await lab.show('two again', 'Deployment', 'ReplicaSet', 'Pod');
      },
    },
  ],
};
