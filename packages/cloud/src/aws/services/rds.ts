import {
  DescribeDBInstancesCommand,
  RDSClient,
  StartDBInstanceCommand,
  StopDBInstanceCommand,
} from '@aws-sdk/client-rds';

const commands = {
  'rds:DescribeDBInstances': DescribeDBInstancesCommand,
  'rds:StopDBInstance': StopDBInstanceCommand,
  'rds:StartDBInstance': StartDBInstanceCommand,
} as const;

export const rds = { makeClient: RDSClient, commands } as const;
