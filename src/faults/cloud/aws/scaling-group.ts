import type { CallContext } from '../resource-fault.ts';
import type { AwsApi } from './aws-api.ts';

/** The auto-scaling group of an instance, and how many instances that has in service; undefined without one. */
export async function groupOf(
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
export async function inServiceOf(api: AwsApi, name: string, context: CallContext): Promise<number> {
  const input = { AutoScalingGroupNames: [name] };
  const { AutoScalingGroups = [] } = await api.call('autoscaling:DescribeAutoScalingGroups', input, context);
  const instances = AutoScalingGroups[0]?.Instances ?? [];
  return instances.filter(
    ({ LifecycleState, HealthStatus }) => LifecycleState === 'InService' && HealthStatus === 'Healthy',
  ).length;
}
