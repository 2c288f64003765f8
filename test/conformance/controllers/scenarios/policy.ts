import { container, deployment, FOREVER, fileProbe, pod, replicaSet, template } from '../builders.ts';
import type { Draft } from '../harness/kinds.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

function budget(spec: object): Draft {
  return {
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

async function healthy(lab: Lab, count: number): Promise<void> {
  await lab.until(
    'PodDisruptionBudget',
    'web',
    ({ metadata, status }) =>
      status?.currentHealthy === count && status.observedGeneration === metadata.generation,
  );
}

function quota(hard: object): Draft {
  return { kind: 'ResourceQuota', metadata: { name: 'limits' }, spec: { hard } };
}

export const policy: ControllerTheme = {
  theme: 'policy',
  scenarios: [
    {
      name: 'budget-min-available',
      run: async (lab) => {
        await lab.create(deployment('web', 3), budget({ minAvailable: 2 }));
        await healthy(lab, 3);
        await lab.show('one may go', 'PodDisruptionBudget');
        const [first, second] = lab.list('Pod').map(({ metadata }) => metadata.name);
        await lab.evict(first ?? '');
        await lab.showRefusal('and no second one', () => lab.evict(second ?? ''));
        await lab.untilGone('Pod', first ?? '');
        await healthy(lab, 3);
        await lab.show('three again', 'PodDisruptionBudget', 'Deployment');
      },
    },
    {
      name: 'budget-max-unavailable-in-percent',
      run: async (lab) => {
        await lab.create(deployment('web', 3), budget({ maxUnavailable: '50%' }));
        await healthy(lab, 3);
        await lab.show('two may go', 'PodDisruptionBudget');
        await lab.change('Deployment', 'web', { spec: { replicas: 1 } });
        await lab.until(
          'PodDisruptionBudget',
          'web',
          ({ status }) => status?.expectedPods === 1 && status.currentHealthy === 1,
        );
        await lab.show('of one', 'PodDisruptionBudget');
      },
    },
    {
      name: 'budget-with-unhealthy-pods',
      run: async (lab) => {
        const containers = [container('main', FOREVER, { readinessProbe: fileProbe('/nowhere') })];
        await lab.create(
          replicaSet('web', 2, { template: template('web', { containers }) }),
          budget({ minAvailable: 1 }),
        );
        await lab.untilAll(
          'Pod',
          (all) => all.filter(({ status }) => status?.phase === 'Running').length === 2,
        );
        await lab.until('PodDisruptionBudget', 'web', ({ status }) => status?.expectedPods === 2);
        await lab.show('nobody is healthy', 'PodDisruptionBudget');
        await lab.showRefusal('none may go', () => lab.evict(lab.list('Pod')[0]?.metadata.name ?? ''));
      },
    },
    {
      name: 'budget-of-lone-pods',
      run: async (lab) => {
        await lab.create(pod('one', {}, { labels: { app: 'web' } }), budget({ minAvailable: 1 }));
        await healthy(lab, 1);
        await lab.show('counts them', 'PodDisruptionBudget');
        await lab.showRefusal('none may go', () => lab.evict('one'));
      },
    },
    {
      name: 'budget-of-nobody',
      run: async (lab) => {
        await lab.create(budget({ maxUnavailable: 1 }));
        await lab.until('PodDisruptionBudget', 'web', ({ status }) => status?.observedGeneration === 1);
        await lab.show('nobody', 'PodDisruptionBudget');
      },
    },
    {
      name: 'evicted-without-budget',
      run: async (lab) => {
        await lab.create(replicaSet('web', 1));
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        const name = lab.list('Pod')[0]?.metadata.name ?? '';
        await lab.evict(name);
        await lab.untilGone('Pod', name);
        await lab.until('ReplicaSet', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.show('replaced', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'quota-of-pods',
      run: async (lab) => {
        await lab.create(quota({ pods: '1' }));
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.used?.pods === '0');
        await lab.create(replicaSet('web', 2));
        await lab.until(
          'ReplicaSet',
          'web',
          ({ status }) => status?.conditions?.length === 1 && status.availableReplicas === 1,
        );
        await lab.show('one of two', 'ReplicaSet', 'ResourceQuota');
        await lab.showEvents('told', 'SuccessfulCreate');
        await lab.change('ResourceQuota', 'limits', { spec: { hard: { pods: '3' } } });
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.hard?.pods === '3');
      },
    },
    {
      name: 'quota-of-a-deployment',
      run: async (lab) => {
        await lab.create(quota({ pods: '0' }));
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.used?.pods === '0');
        await lab.create(deployment('web', 1));
        await lab.until(
          'Deployment',
          'web',
          ({ status }) => status?.conditions?.some(({ type }) => type === 'ReplicaFailure') === true,
        );
        await lab.showValue('conditions', () =>
          lab
            .list('Deployment')[0]
            ?.status?.conditions?.map(({ type, status, reason }) => ({ type, status, reason }))
            .sort((a, b) => (a.type < b.type ? -1 : 1)),
        );
      },
    },
    {
      name: 'quota-of-requests',
      run: async (lab) => {
        await lab.create(quota({ 'requests.cpu': '20m', 'limits.memory': '100Mi', configmaps: '2' }));
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.used?.['requests.cpu'] === '0');
        await lab.showRefusal('says nothing of its needs', () => lab.create(pod('silent')));
        const needs = (cpu: string): object => ({
          containers: [
            container('main', FOREVER, { resources: { requests: { cpu }, limits: { memory: '60Mi' } } }),
          ],
        });
        await lab.create(pod('modest', { ...needs('15m') }));
        await lab.showRefusal('too much', () => lab.create(pod('greedy', { ...needs('10m') })));
        await lab.until('Pod', 'modest', ({ status }) => status?.phase === 'Running');
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.used?.['requests.cpu'] === '15m');
        await lab.show('used', 'ResourceQuota', 'Pod');
        await lab.remove('Pod', 'modest', { gracePeriodSeconds: 0 });
        await lab.until('ResourceQuota', 'limits', ({ status }) => status?.used?.['requests.cpu'] === '0');
        await lab.show('given back', 'ResourceQuota');
      },
    },
    {
      name: 'quota-with-scopes',
      run: async (lab) => {
        await lab.create(
          {
            kind: 'ResourceQuota',
            metadata: { name: 'best' },
            spec: { hard: { pods: '1' }, scopes: ['BestEffort'] },
          },
          {
            kind: 'ResourceQuota',
            metadata: { name: 'rest' },
            spec: { hard: { pods: '5' }, scopes: ['NotBestEffort'] },
          },
          {
            kind: 'ResourceQuota',
            metadata: { name: 'ending' },
            spec: { hard: { pods: '1' }, scopes: ['Terminating'] },
          },
        );
        await lab.untilAll(
          'ResourceQuota',
          (all) => all.length === 3 && all.every(({ status }) => status?.used?.pods === '0'),
        );
        await lab.create(pod('first'));
        await lab.showRefusal('one best effort pod', () => lab.create(pod('second')));
        const containers = [container('main', FOREVER, { resources: { requests: { cpu: '1m' } } })];
        await lab.create(pod('third', { containers, activeDeadlineSeconds: 600 }));
        await lab.untilAll('ResourceQuota', (all) => all.every(({ status }) => status?.used?.pods === '1'));
        await lab.show('counted', 'ResourceQuota');
      },
    },
    {
      name: 'limit-range',
      run: async (lab) => {
        await lab.create({
          kind: 'LimitRange',
          metadata: { name: 'limits' },
          spec: {
            limits: [
              {
                type: 'Container',
                default: { memory: '64Mi' },
                defaultRequest: { memory: '32Mi', cpu: '5m' },
                max: { memory: '128Mi' },
              },
            ],
          },
        });
        await lab.until('LimitRange', 'limits', () => true);
        await lab.create(pod('plain'));
        await lab.until('Pod', 'plain', ({ status }) => status?.phase === 'Running');
        await lab.show('filled in', 'Pod', 'LimitRange');
        const big = [container('main', FOREVER, { resources: { limits: { memory: '256Mi' } } })];
        await lab.showRefusal('too big', () => lab.create(pod('big', { containers: big })));
      },
    },
  ],
};
