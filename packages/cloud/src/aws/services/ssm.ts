import {
  CancelCommandCommand,
  CreateDocumentCommand,
  DeleteDocumentCommand,
  DescribeDocumentCommand,
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  ListCommandsCommand,
  SendCommandCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';

const commands = {
  'ssm:DescribeInstanceInformation': DescribeInstanceInformationCommand,
  'ssm:CreateDocument': CreateDocumentCommand,
  'ssm:DescribeDocument': DescribeDocumentCommand,
  'ssm:DeleteDocument': DeleteDocumentCommand,
  'ssm:SendCommand': SendCommandCommand,
  'ssm:ListCommands': ListCommandsCommand,
  'ssm:GetCommandInvocation': GetCommandInvocationCommand,
  'ssm:CancelCommand': CancelCommandCommand,
} as const;

export const ssm = { makeClient: SSMClient, commands } as const;
