import {
  AttachLoadBalancerToSubnetsCommand,
  DescribeLoadBalancersCommand,
  DetachLoadBalancerFromSubnetsCommand,
  ElasticLoadBalancingClient,
} from '@aws-sdk/client-elastic-load-balancing';

const commands = {
  'elb:DescribeLoadBalancers': DescribeLoadBalancersCommand,
  'elb:DetachLoadBalancerFromSubnets': DetachLoadBalancerFromSubnetsCommand,
  'elb:AttachLoadBalancerToSubnets': AttachLoadBalancerToSubnetsCommand,
} as const;

export const elb = { makeClient: ElasticLoadBalancingClient, commands } as const;
