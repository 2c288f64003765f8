import {
  DescribeLoadBalancersCommand,
  ElasticLoadBalancingV2Client,
  SetSubnetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';

const commands = {
  'elbv2:DescribeLoadBalancers': DescribeLoadBalancersCommand,
  'elbv2:SetSubnets': SetSubnetsCommand,
} as const;

export const elbv2 = { makeClient: ElasticLoadBalancingV2Client, commands } as const;
