/** The actions of AWS that can be called, by service and name. */

import type * as autoscalingSdk from '@aws-sdk/client-auto-scaling';
import type * as ec2Sdk from '@aws-sdk/client-ec2';
import type * as elbSdk from '@aws-sdk/client-elastic-load-balancing';
import type * as elbv2Sdk from '@aws-sdk/client-elastic-load-balancing-v2';
import type * as rdsSdk from '@aws-sdk/client-rds';
import type * as ssmSdk from '@aws-sdk/client-ssm';
import type * as stsSdk from '@aws-sdk/client-sts';
import type { autoscaling } from './services/autoscaling.ts';
import type { ec2 } from './services/ec2.ts';
import type { elb } from './services/elb.ts';
import type { elbv2 } from './services/elbv2.ts';
import type { rds } from './services/rds.ts';
import type { ssm } from './services/ssm.ts';
import type { sts } from './services/sts.ts';

/** The command of each action. `elb` and `elbv2` are both `elasticloadbalancing` in policies. */
type Commands = (typeof autoscaling)['commands'] &
  (typeof ec2)['commands'] &
  (typeof elb)['commands'] &
  (typeof elbv2)['commands'] &
  (typeof rds)['commands'] &
  (typeof ssm)['commands'] &
  (typeof sts)['commands'];

/** The name of an action: `ec2:StopInstances`. */
export type AwsAction = keyof Commands;

/** What is sent for an action. */
export type AwsInput<A extends AwsAction> = ConstructorParameters<Commands[A]>[0];

/** What comes back for each action; the compiler does not find it out of the commands in every order of files. */
interface Outputs {
  'autoscaling:DescribeAutoScalingInstances': autoscalingSdk.DescribeAutoScalingInstancesCommandOutput;
  'autoscaling:DescribeAutoScalingGroups': autoscalingSdk.DescribeAutoScalingGroupsCommandOutput;
  'ec2:DescribeInstances': ec2Sdk.DescribeInstancesCommandOutput;
  'ec2:StopInstances': ec2Sdk.StopInstancesCommandOutput;
  'ec2:StartInstances': ec2Sdk.StartInstancesCommandOutput;
  'ec2:DescribeVolumes': ec2Sdk.DescribeVolumesCommandOutput;
  'ec2:DetachVolume': ec2Sdk.DetachVolumeCommandOutput;
  'ec2:AttachVolume': ec2Sdk.AttachVolumeCommandOutput;
  'ec2:ModifyInstanceAttribute': ec2Sdk.ModifyInstanceAttributeCommandOutput;
  'ec2:DescribeSubnets': ec2Sdk.DescribeSubnetsCommandOutput;
  'elb:DescribeLoadBalancers': elbSdk.DescribeLoadBalancersCommandOutput;
  'elb:DetachLoadBalancerFromSubnets': elbSdk.DetachLoadBalancerFromSubnetsCommandOutput;
  'elb:AttachLoadBalancerToSubnets': elbSdk.AttachLoadBalancerToSubnetsCommandOutput;
  'elbv2:DescribeLoadBalancers': elbv2Sdk.DescribeLoadBalancersCommandOutput;
  'elbv2:SetSubnets': elbv2Sdk.SetSubnetsCommandOutput;
  'rds:DescribeDBInstances': rdsSdk.DescribeDBInstancesCommandOutput;
  'rds:StopDBInstance': rdsSdk.StopDBInstanceCommandOutput;
  'rds:StartDBInstance': rdsSdk.StartDBInstanceCommandOutput;
  'ssm:DescribeInstanceInformation': ssmSdk.DescribeInstanceInformationCommandOutput;
  'ssm:CreateDocument': ssmSdk.CreateDocumentCommandOutput;
  'ssm:DescribeDocument': ssmSdk.DescribeDocumentCommandOutput;
  'ssm:DeleteDocument': ssmSdk.DeleteDocumentCommandOutput;
  'ssm:SendCommand': ssmSdk.SendCommandCommandOutput;
  'ssm:ListCommands': ssmSdk.ListCommandsCommandOutput;
  'ssm:GetCommandInvocation': ssmSdk.GetCommandInvocationCommandOutput;
  'ssm:CancelCommand': ssmSdk.CancelCommandCommandOutput;
  'sts:GetCallerIdentity': stsSdk.GetCallerIdentityCommandOutput;
}

/** What comes back for an action. */
export type AwsOutput<A extends AwsAction> = Outputs[A];

/** The clients and commands of each service, loaded when an action of it is called first. */
export const SERVICES = {
  sts: async () => (await import('./services/sts.ts')).sts,
  ec2: async () => (await import('./services/ec2.ts')).ec2,
  autoscaling: async () => (await import('./services/autoscaling.ts')).autoscaling,
  rds: async () => (await import('./services/rds.ts')).rds,
  ssm: async () => (await import('./services/ssm.ts')).ssm,
  elb: async () => (await import('./services/elb.ts')).elb,
  elbv2: async () => (await import('./services/elbv2.ts')).elbv2,
} as const;
