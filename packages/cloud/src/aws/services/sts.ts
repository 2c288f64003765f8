import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

const commands = {
  'sts:GetCallerIdentity': GetCallerIdentityCommand,
} as const;

export const sts = { makeClient: STSClient, commands } as const;
