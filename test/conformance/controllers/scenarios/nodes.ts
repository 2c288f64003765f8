import { container, daemonSet, FOREVER, pod, template } from '../builders.ts';
import type { Lab } from '../harness/lab.ts';
import type { ControllerTheme } from '../harness/scenario.ts';

/** A node that nobody keeps: pods bound to it never run. It is ready until the controller misses its heartbeat. */
async function makeNode(lab: Lab, name: string, spec: object = {}): Promise<void> {
  await lab.create({ kind: 'Node', metadata: { name, labels: { [name]: 'yes' } }, spec });
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Said',
    message: 'said',
    lastHeartbeatTime: new Date().toISOString(),
    lastTransitionTime: new Date().toISOString(),
  };
  const amounts = { cpu: '2', memory: '1Gi', pods: '10' };
  await lab.change(
    'Node',
    name,
    { status: { conditions: [condition], capacity: amounts, allocatable: amounts } },
    'status',
    'strategic',
  );
  await lab.until(
    'Node',
    name,
    ({ spec: now }) => now?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') !== true,
  );
}

function condition(lab: Lab, name: string): string {
  const scheduled = lab
    .list('Pod')
    .find(({ metadata }) => metadata.name === name)
    ?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return `${scheduled?.status} ${scheduled?.reason}`;
}

async function unschedulable(lab: Lab, name: string): Promise<void> {
  await lab.untilEvent('FailedScheduling', name);
  await lab.until('Pod', name, () => condition(lab, name) === 'False Unschedulable');
}

export const nodes: ControllerTheme = {
  theme: 'nodes',
  scenarios: [
    {
      name: 'no-node-is-meant',
      alone: true,
      run: async (lab) => {
        await lab.create(pod('one', { nodeSelector: { nowhere: 'yes' } }));
        await unschedulable(lab, 'one');
        await lab.show('waits', 'Pod');
        await lab.showEvents('told', 'FailedScheduling');
      },
    },
    {
      name: 'no-node-is-big-enough',
      alone: true,
      run: async (lab) => {
        const containers = [
          container('main', FOREVER, { resources: { requests: { cpu: '900', memory: '900Ti' } } }),
        ];
        await lab.create(pod('one', { containers }));
        await unschedulable(lab, 'one');
        await lab.show('waits', 'Pod');
        await lab.showEvents('told', 'FailedScheduling');
      },
    },
    {
      name: 'cordon',
      alone: true,
      run: async (lab) => {
        await lab.change('Node', lab.node, { spec: { unschedulable: true } });
        await lab.until(
          'Node',
          lab.node,
          ({ spec }) => spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/unschedulable') === true,
        );
        await lab.create(pod('one'));
        await unschedulable(lab, 'one');
        await lab.show('waits', 'Pod');
        await lab.showValue('taints', () =>
          lab
            .list('Node')
            .find(({ metadata }) => metadata.name === lab.node)
            ?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`),
        );
        await lab.change('Node', lab.node, { spec: { unschedulable: null } });
        await lab.until('Pod', 'one', ({ status }) => status?.phase === 'Running');
        await lab.showEvents(
          'told',
          'FailedScheduling',
          'Scheduled',
          'NodeNotSchedulable',
          'NodeSchedulable',
        );
      },
    },
    {
      name: 'taint-keeps-away',
      alone: true,
      run: async (lab) => {
        await lab.change('Node', lab.node, {
          spec: { taints: [{ key: 'example.com/busy', value: 'very', effect: 'NoSchedule' }] },
        });
        await lab.until('Node', lab.node, ({ spec }) => spec?.taints?.length === 1);
        await lab.create(
          pod('one'),
          pod('two', { tolerations: [{ key: 'example.com/busy', operator: 'Exists' }] }),
        );
        await unschedulable(lab, 'one');
        await lab.until('Pod', 'two', ({ status }) => status?.phase === 'Running');
        await lab.showEvents('told', 'FailedScheduling', 'Scheduled');
        await lab.change('Node', lab.node, { spec: { taints: null } });
        await lab.until('Pod', 'one', ({ status }) => status?.phase === 'Running');
      },
    },
    {
      name: 'taint-drives-out',
      alone: true,
      run: async (lab) => {
        const drives = 'example.com/out';
        const tolerates = (tolerationSeconds?: number): object => ({
          tolerations: [
            {
              key: drives,
              operator: 'Exists',
              effect: 'NoExecute',
              ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
            },
          ],
        });
        await lab.create(
          pod('leaves'),
          pod('stays', { ...tolerates() }),
          pod('leaves-later', { ...tolerates(3) }),
        );
        await lab.untilAll(
          'Pod',
          (all) => all.filter(({ status }) => status?.phase === 'Running').length === 3,
        );
        const order = lab.trace('Pod', ({ metadata }) =>
          metadata.deletionTimestamp === undefined ? undefined : `${metadata.name} has to go`,
        );
        await lab.change('Node', lab.node, { spec: { taints: [{ key: drives, effect: 'NoExecute' }] } });
        await lab.untilAll('Pod', (all) => all.length === 1);
        await lab.show('one stays', 'Pod');
        await order.show('one after the other');
        await lab.change('Node', lab.node, { spec: { taints: null } });
        await lab.showEvents('told', 'TaintManagerEviction', 'Killing');
      },
    },
    {
      name: 'daemons-and-taints',
      alone: true,
      run: async (lab) => {
        const name = `${lab.namespace}-node`;
        await makeNode(lab, name, { taints: [{ key: 'example.com/busy', effect: 'NoSchedule' }] });
        const meant = { nodeSelector: { [name]: 'yes' } };
        await lab.create(
          daemonSet('shy', { template: template('shy', meant) }),
          daemonSet('bold', {
            template: template('bold', { ...meant, tolerations: [{ operator: 'Exists' }] }),
          }),
        );
        await lab.until('DaemonSet', 'bold', ({ status }) => status?.currentNumberScheduled === 1);
        await lab.until('DaemonSet', 'shy', ({ status }) => status?.observedGeneration === 1);
        await lab.show('one of them', 'DaemonSet', 'Pod');
        await lab.remove('Node', name);
      },
    },
    {
      name: 'node-is-deleted',
      slow: true,
      run: async (lab) => {
        const name = `${lab.namespace}-node`;
        await makeNode(lab, name);
        await lab.create(pod('one', { nodeName: name }));
        await lab.remove('Node', name);
        await lab.untilGone('Pod', 'one');
        await lab.show('its pod has gone', 'Pod');
      },
    },
  ],
};
