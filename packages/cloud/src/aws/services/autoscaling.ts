import {
  AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
} from '@aws-sdk/client-auto-scaling';

const commands = {
  'autoscaling:DescribeAutoScalingInstances': DescribeAutoScalingInstancesCommand,
  'autoscaling:DescribeAutoScalingGroups': DescribeAutoScalingGroupsCommand,
} as const;

export const autoscaling = { makeClient: AutoScalingClient, commands } as const;
