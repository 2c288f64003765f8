import {
  AttachVolumeCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DetachVolumeCommand,
  EC2Client,
  ModifyInstanceAttributeCommand,
  StartInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';

const commands = {
  'ec2:DescribeInstances': DescribeInstancesCommand,
  'ec2:StopInstances': StopInstancesCommand,
  'ec2:StartInstances': StartInstancesCommand,
  'ec2:DescribeVolumes': DescribeVolumesCommand,
  'ec2:DetachVolume': DetachVolumeCommand,
  'ec2:AttachVolume': AttachVolumeCommand,
  'ec2:ModifyInstanceAttribute': ModifyInstanceAttributeCommand,
  'ec2:DescribeSubnets': DescribeSubnetsCommand,
} as const;

export const ec2 = { makeClient: EC2Client, commands } as const;
