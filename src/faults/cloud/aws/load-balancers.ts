import type { AwsOutput } from '@turnsole/cloud/aws/actions';
import { isCloudError } from '../cloud-error.ts';
import { type CallContext, type Look, refuse } from '../resource-fault.ts';
import type { AwsApi } from './aws-api.ts';

/** A subnet that a load balancer has in a zone, with its fixed addresses where it has some. */
export interface LostSubnet {
  readonly subnet: string;
  readonly zone: string;
  readonly allocation?: string;
  readonly privateIPv4?: string;
}

/** What giving zones back needs. */
export interface ZoneParameters {
  /** Name of a classic load balancer, ARN of another. */
  readonly balancer: string;
  readonly generation: 'classic' | 'v2';
  readonly region: string;
  readonly lost: readonly LostSubnet[];
}

/** Subnets of a load balancer now. */
interface Balancer {
  readonly subnets: readonly LostSubnet[];
  /** `application`, `network` or `classic`. */
  readonly type: string;
  /** Whether a change of it is under way. */
  readonly isChanging: boolean;
}

type Place = Pick<ZoneParameters, 'balancer' | 'generation'>;

/** The load balancer; undefined when it does not exist. */
export async function balancerOf(
  api: AwsApi,
  { balancer, generation }: Place,
  context: CallContext,
): Promise<Balancer | undefined> {
  try {
    return generation === 'classic'
      ? await classicBalancer(api, balancer, context)
      : await laterBalancer(api, balancer, context);
  } catch (error) {
    if (isCloudError(error, 'gone')) return undefined;
    throw error;
  }
}

async function classicBalancer(
  api: AwsApi,
  name: string,
  context: CallContext,
): Promise<Balancer | undefined> {
  const input = { LoadBalancerNames: [name] };
  const { LoadBalancerDescriptions = [] } = await api.call('elb:DescribeLoadBalancers', input, context);
  const [found] = LoadBalancerDescriptions;
  if (found === undefined) return undefined;
  const SubnetIds = found.Subnets ?? [];
  const described: AwsOutput<'ec2:DescribeSubnets'> | undefined =
    SubnetIds.length === 0 ? undefined : await api.call('ec2:DescribeSubnets', { SubnetIds }, context);
  const subnets = (described?.Subnets ?? []).map(
    ({ SubnetId: subnet = '', AvailabilityZone: zone = '' }) => ({
      subnet,
      zone,
    }),
  );
  return { subnets, type: 'classic', isChanging: false };
}

async function laterBalancer(api: AwsApi, arn: string, context: CallContext): Promise<Balancer | undefined> {
  const input = { LoadBalancerArns: [arn] };
  const { LoadBalancers = [] } = await api.call('elbv2:DescribeLoadBalancers', input, context);
  const [found] = LoadBalancers;
  if (found === undefined) return undefined;
  const subnets = (found.AvailabilityZones ?? []).map(
    ({ SubnetId: subnet = '', ZoneName: zone = '', LoadBalancerAddresses = [] }) => {
      const [{ AllocationId: allocation = undefined, PrivateIPv4Address: privateIPv4 = undefined } = {}] =
        LoadBalancerAddresses;
      return {
        subnet,
        zone,
        ...(allocation === undefined ? {} : { allocation }),
        ...(privateIPv4 === undefined ? {} : { privateIPv4 }),
      };
    },
  );
  return { subnets, type: found.Type ?? 'application', isChanging: found.State?.Code === 'provisioning' };
}

/** The subnets that a load balancer loses with these zones. Pure. @throws TargetSelectionError when it cannot lose them */
export function subnetsLost(
  target: string,
  { subnets, type }: Pick<Balancer, 'subnets' | 'type'>,
  zones: readonly string[],
): readonly LostSubnet[] {
  const has = [...new Set(subnets.map(({ zone }) => zone))].toSorted();
  const missing = zones.filter((zone) => !has.includes(zone));
  if (missing.length > 0) refuse(target, `it is not in ${missing.join(', ')}, but in ${has.join(', ')}`);
  const kept = has.filter((zone) => !zones.includes(zone));
  const least = type === 'application' ? 2 : 1;
  if (kept.length < least) {
    refuse(
      target,
      `it would be left with ${kept.length} of its zones ${has.join(', ')}, and AWS wants ${least} at least; name fewer in LOAD_BALANCER_ZONES`,
    );
  }
  return subnets.filter(({ zone }) => zones.includes(zone));
}

/** How the zones are, beside how they were. Pure. */
export function lookAtZones(
  found: Pick<Balancer, 'subnets' | 'isChanging'> | undefined,
  lost: readonly LostSubnet[],
): Look {
  if (found === undefined) return { state: 'gone', words: 'does not exist any more' };
  const has = lost.filter(({ subnet }) => found.subnets.some((one) => one.subnet === subnet));
  const zones = [...new Set(lost.map(({ zone }) => zone))].join(', ');
  if (has.length === lost.length) return { state: 'there', words: `is in ${zones}` };
  if (has.length === 0) return { state: 'taken', words: `is not in ${zones}` };
  return { state: 'part', words: `is in a part of ${zones}` };
}

/** Takes the subnets from the load balancer. */
export async function removeSubnets(
  api: AwsApi,
  { balancer, generation, lost }: ZoneParameters,
  context: CallContext,
): Promise<void> {
  const ids = lost.map(({ subnet }) => subnet);
  if (generation === 'classic') {
    const input = { LoadBalancerName: balancer, Subnets: ids };
    await api.call('elb:DetachLoadBalancerFromSubnets', input, context);
    return;
  }
  // Its whole list is replaced, so the one of this moment counts.
  const now = await balancerOf(api, { balancer, generation }, context);
  await setSubnets(
    api,
    balancer,
    (now?.subnets ?? []).filter(({ subnet }) => !ids.includes(subnet)),
    context,
  );
}

/** Gives the subnets back to the load balancer. */
export async function addSubnets(
  api: AwsApi,
  { balancer, generation, lost }: ZoneParameters,
  context: CallContext,
): Promise<void> {
  if (generation === 'classic') {
    const input = { LoadBalancerName: balancer, Subnets: lost.map(({ subnet }) => subnet) };
    await api.call('elb:AttachLoadBalancerToSubnets', input, context);
    return;
  }
  const now = (await balancerOf(api, { balancer, generation }, context))?.subnets ?? [];
  const missing = lost.filter(({ subnet }) => !now.some((one) => one.subnet === subnet));
  await setSubnets(api, balancer, [...now, ...missing], context);
}

function setSubnets(
  api: AwsApi,
  LoadBalancerArn: string,
  subnets: readonly LostSubnet[],
  context: CallContext,
): Promise<unknown> {
  // Where one has a fixed address all are given with theirs.
  const hasAddresses = subnets.some(
    ({ allocation, privateIPv4 }) => allocation !== undefined || privateIPv4 !== undefined,
  );
  const input = hasAddresses
    ? {
        LoadBalancerArn,
        SubnetMappings: subnets.map(({ subnet, allocation, privateIPv4 }) => ({
          SubnetId: subnet,
          ...(allocation === undefined ? {} : { AllocationId: allocation }),
          ...(privateIPv4 === undefined ? {} : { PrivateIPv4Address: privateIPv4 }),
        })),
      }
    : { LoadBalancerArn, Subnets: subnets.map(({ subnet }) => subnet) };
  return api.call('elbv2:SetSubnets', input, context);
}
