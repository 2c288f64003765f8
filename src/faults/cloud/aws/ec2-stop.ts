import { choice } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { RESOURCE_TUNABLES } from '../tunables.ts';
import type { AwsApi } from './aws-api.ts';
import { type Choice, partsOf } from './choice.ts';
import { chooseById, chooseByTag } from './choose-instances.ts';
import { instanceOf } from './ec2-instances.ts';
import { AWS_TUNABLES } from './tunables.ts';

const CALLS = [
  'sts:GetCallerIdentity',
  'ec2:DescribeInstances',
  'ec2:StopInstances',
  'ec2:StartInstances',
  'autoscaling:DescribeAutoScalingInstances',
  'autoscaling:DescribeAutoScalingGroups',
] as const;

const MANAGED = {
  MANAGED_NODEGROUP: choice(
    { choices: ['disable', 'enable'], default: 'disable' },
    'enable: the instances belong to an auto-scaling group, which terminates and replaces what is stopped. They are not started again; ' +
      'the group has to have as many instances in service as before.',
  ),
} as const;

/** What giving back needs. */
interface Parameters {
  readonly id: string;
  readonly region: string;
  /** The auto-scaling group that replaces it, and how many instances that had in service. */
  readonly group?: { readonly name: string; readonly inService: number };
}

/**
 * Stops EC2 instances, and starts them again.
 *
 * What is touched: the state of the instances; what they have in memory and on their instance stores is lost. How it is undone: they are
 * started. What remains if the experiment dies: instances that are stopped, until recovery starts them. An instance of an auto-scaling
 * group is replaced by the group.
 */
function ec2Stop<S extends TunableSchema>(name: string, summary: string, own: Choice<S>) {
  const { parts, settingsOf } = partsOf<S, typeof MANAGED>(own, CALLS);
  return resourceFault<TunableSchema, AwsApi, Parameters>({
    name,
    summary,
    kind: 'EC2',
    tunables: { ...RESOURCE_TUNABLES, ...own.tunables, ...MANAGED, ...AWS_TUNABLES },
    ...parts,
    words: ['stop', 'stopped'],
    observe: async (api, target, settings, context) => {
      const id = lastPart(target);
      const instance = await instanceOf(api, id, context);
      const state = instance?.State?.Name;
      if (state === undefined) refuse(target, 'there is no such instance');
      if (state !== 'running') refuse(target, `it is ${state}; an instance has to be running to be stopped`);
      if (instance?.RootDeviceType === 'instance-store') {
        refuse(target, 'its root device is an instance store: it cannot be stopped, only terminated');
      }
      const isManaged = settingsOf(settings).MANAGED_NODEGROUP === 'enable';
      const group = isManaged ? await groupOf(api, id, context) : undefined;
      if (isManaged && group === undefined) {
        refuse(target, 'MANAGED_NODEGROUP is enable, and it belongs to no auto-scaling group');
      }
      return { id, region: api.region, ...(group === undefined ? {} : { group }) };
    },
    look: async (api, { id }, context) => {
      const instance = await instanceOf(api, id, context);
      return lookAt(instance?.State?.Name, instance?.StateReason?.Message);
    },
    take: async (api, { id }, context) => {
      await api.call('ec2:StopInstances', { InstanceIds: [id] }, context);
    },
    give: async (api, { id }, context) => {
      await api.call('ec2:StartInstances', { InstanceIds: [id] }, context);
    },
    isReplaced: ({ group }) => group !== undefined,
    lacks: async (api, { group }, context) => {
      if (group === undefined) return undefined;
      const inService = await inServiceOf(api, group.name, context);
      if (inService >= group.inService) return undefined;
      return `auto-scaling group ${group.name} has ${inService} of ${group.inService} instances in service`;
    },
  });
}

/** How an instance is, by the name of its state. Pure. */
export function lookAt(state: string | undefined, reason = ''): Look {
  const why = reason === '' ? '' : ` (${reason})`;
  switch (state) {
    case 'running':
      return { state: 'there', words: 'is running' };
    case 'stopped':
      return { state: 'taken', words: `is stopped${why}` };
    case 'stopping':
      return { state: 'going', words: 'is stopping' };
    case 'pending':
      return { state: 'coming', words: 'is starting' };
    default:
      return { state: 'gone', words: state === undefined ? 'does not exist any more' : `is ${state}${why}` };
  }
}

/** `ec2-terminate-by-id`, as its chart calls it too. */
export function ec2StopById(name: string) {
  return ec2Stop(name, 'Stops EC2 instances by their ids, and starts them again.', chooseById);
}

/** `ec2-terminate-by-tag`, as its chart calls it too. */
export function ec2StopByTag(name: string) {
  return ec2Stop(
    name,
    'Stops running EC2 instances that have a tag, or a share of them, and starts them again.',
    chooseByTag,
  );
}

/** The auto-scaling group of an instance, and how many instances that has in service; undefined without one. */
async function groupOf(
  api: AwsApi,
  id: string,
  context: CallContext,
): Promise<{ readonly name: string; readonly inService: number } | undefined> {
  const input = { InstanceIds: [id] };
  const { AutoScalingInstances = [] } = await api.call(
    'autoscaling:DescribeAutoScalingInstances',
    input,
    context,
  );
  const name = AutoScalingInstances[0]?.AutoScalingGroupName;
  return name === undefined ? undefined : { name, inService: await inServiceOf(api, name, context) };
}

/** How many healthy instances a group has in service. */
async function inServiceOf(api: AwsApi, name: string, context: CallContext): Promise<number> {
  const input = { AutoScalingGroupNames: [name] };
  const { AutoScalingGroups = [] } = await api.call('autoscaling:DescribeAutoScalingGroups', input, context);
  const instances = AutoScalingGroups[0]?.Instances ?? [];
  return instances.filter(
    ({ LifecycleState, HealthStatus }) => LifecycleState === 'InService' && HealthStatus === 'Healthy',
  ).length;
}
