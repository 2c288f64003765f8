import { configMap, deployment, pod } from '../builders.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

function ownedBy(uid: string, name: string, extra: object = {}): Readonly<Record<string, unknown>> {
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...extra }] };
}

/** The scenario's own config maps: every namespace has one of the cluster's authority since 1.20. */
const OWN = {
  kind: 'ConfigMap',
  where: ({ metadata }: { metadata: { name: string } }) => metadata.name !== 'kube-root-ca.crt',
} as const;

async function owner(lab: Lab, name: string): Promise<string> {
  await lab.create(configMap(name));
  return (await lab.until('ConfigMap', name, () => true)).metadata.uid ?? '';
}

export const garbage: ControllerTheme = {
  theme: 'garbage',
  scenarios: [
    {
      name: 'deleted-in-the-background',
      run: async (lab) => {
        await lab.create(deployment('web', 1));
        await lab.until('Deployment', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.remove('Deployment', 'web', { propagationPolicy: 'Background' });
        await lab.untilAll('ReplicaSet', (all) => all.length === 0);
        await lab.untilAll('Pod', (all) => all.length === 0);
        await lab.show('nothing is left', 'Deployment', 'ReplicaSet', 'Pod');
      },
    },
    {
      name: 'deleted-in-the-foreground',
      run: async (lab) => {
        await lab.create(deployment('web', 1));
        await lab.until('Deployment', 'web', ({ status }) => status?.availableReplicas === 1);
        const note =
          (kind: string) =>
          (object: { metadata: { deletionTimestamp?: string; finalizers?: string[] } }, isGone: boolean) => {
            if (isGone) return `${kind} gone`;
            const { deletionTimestamp, finalizers = [] } = object.metadata;
            return deletionTimestamp === undefined ? undefined : `${kind} waits ${finalizers.join()}`;
          };
        const owners = lab.trace('Deployment', note('deployment'));
        const sets = lab.trace('ReplicaSet', note('set'));
        await lab.remove('Deployment', 'web', { propagationPolicy: 'Foreground' });
        await lab.untilGone('Deployment', 'web');
        await lab.untilAll('Pod', (all) => all.length === 0);
        await lab.untilAll('ReplicaSet', (all) => all.length === 0);
        await owners.show('the deployment');
        await sets.show('the set');
      },
    },
    {
      name: 'foreground-waits-for-blockers-only',
      run: async (lab) => {
        const uid = await owner(lab, 'owner');
        const held = { finalizers: ['example.com/held'] };
        await lab.create(
          configMap('blocks', {}, { ...ownedBy(uid, 'owner', { blockOwnerDeletion: true }), ...held }),
          configMap('does-not', {}, { ...ownedBy(uid, 'owner'), ...held }),
        );
        await lab.remove('ConfigMap', 'owner', { propagationPolicy: 'Foreground' });
        await lab.until('ConfigMap', 'blocks', ({ metadata }) => metadata.deletionTimestamp !== undefined);
        await lab.show('the owner waits', OWN);
        await lab.change('ConfigMap', 'blocks', { metadata: { finalizers: null } });
        await lab.untilGone('ConfigMap', 'owner');
        await lab.until('ConfigMap', 'does-not', ({ metadata }) => metadata.deletionTimestamp !== undefined);
        await lab.show('the owner has gone', OWN);
        await lab.change('ConfigMap', 'does-not', { metadata: { finalizers: null } });
        await lab.untilGone('ConfigMap', 'does-not');
      },
    },
    {
      name: 'orphaned',
      run: async (lab) => {
        const uid = await owner(lab, 'owner');
        await lab.create(configMap('dependent', {}, ownedBy(uid, 'owner')));
        await lab.remove('ConfigMap', 'owner', { propagationPolicy: 'Orphan' });
        await lab.untilGone('ConfigMap', 'owner');
        await lab.until('ConfigMap', 'dependent', ({ metadata }) => metadata.ownerReferences === undefined);
        await lab.show('the dependent stays, without owner', OWN);
      },
    },
    {
      name: 'owner-that-never-was',
      run: async (lab) => {
        const uid = '00000000-0000-4000-8000-000000000000';
        await lab.create(configMap('dependent', {}, ownedBy(uid, 'nobody')));
        await lab.untilGone('ConfigMap', 'dependent');
        await lab.show('nothing is left', OWN);
      },
    },
    {
      name: 'one-of-two-owners',
      run: async (lab) => {
        const first = await owner(lab, 'first');
        const second = await owner(lab, 'second');
        const owners = [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'first', uid: first },
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'second', uid: second },
        ];
        await lab.create(configMap('dependent', {}, { ownerReferences: owners }));
        await lab.remove('ConfigMap', 'first');
        await lab.until('ConfigMap', 'dependent', ({ metadata }) => metadata.ownerReferences?.length === 1);
        await lab.show('the other one counts', OWN);
        await lab.remove('ConfigMap', 'second');
        await lab.untilGone('ConfigMap', 'dependent');
      },
    },
    {
      name: 'chain-of-owners',
      run: async (lab) => {
        const first = await owner(lab, 'first');
        await lab.create(configMap('second', {}, ownedBy(first, 'first')));
        const second = (await lab.until('ConfigMap', 'second', () => true)).metadata.uid ?? '';
        await lab.create(configMap('third', {}, ownedBy(second, 'second')));
        await lab.remove('ConfigMap', 'first');
        await lab.untilGone('ConfigMap', 'third');
        await lab.untilGone('ConfigMap', 'second');
        await lab.show('nothing is left', OWN);
      },
    },
    {
      name: 'namespace-with-content',
      run: async (lab) => {
        await lab.create(deployment('web', 1), configMap('held', {}, { finalizers: ['example.com/held'] }));
        await lab.until('Deployment', 'web', ({ status }) => status?.availableReplicas === 1);
        await lab.remove('Namespace', lab.namespace);
        await lab.untilAll('Pod', (all) => all.length === 0);
        await lab.until(
          'Namespace',
          lab.namespace,
          ({ status }) =>
            status?.conditions?.some(
              ({ reason, message }) =>
                reason === 'SomeResourcesRemain' && message?.includes('pods.') === false,
            ) === true,
        );
        await lab.show('what is held', OWN, 'Deployment', 'ReplicaSet', 'Pod');
        await lab.showRefusal('nothing new', () => lab.create(configMap('late')));
        await lab.show('says what it waits for', {
          kind: 'Namespace',
          where: ({ metadata }) => metadata.name === lab.namespace,
        });
        await lab.change('ConfigMap', 'held', { metadata: { finalizers: null } });
        await lab.untilGone('Namespace', lab.namespace);
      },
    },
    {
      name: 'service-account-comes-back',
      run: async (lab) => {
        const uid = (await lab.until('ServiceAccount', 'default', () => true)).metadata.uid;
        await lab.remove('ServiceAccount', 'default');
        await lab.until('ServiceAccount', 'default', ({ metadata }) => metadata.uid !== uid);
        await lab.remove('ConfigMap', 'kube-root-ca.crt');
        await lab.until('ConfigMap', 'kube-root-ca.crt', () => true);
        await lab.showValue('accounts and authorities', () => ({
          accounts: lab.list('ServiceAccount').map(({ metadata }) => metadata.name),
          keys: lab.list('ConfigMap').map(({ data }) => Object.keys(data ?? {})),
        }));
      },
    },
    {
      name: 'pod-without-service-account',
      run: async (lab) => {
        await lab.showRefusal('refused', () => lab.create(pod('one', { serviceAccountName: 'nobody' })));
      },
    },
  ],
};
