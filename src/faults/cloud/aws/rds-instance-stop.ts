import type { AwsOutput } from '@turnsole/cloud/aws/actions';
import { COMMON_TUNABLES } from '../../../experiment/injection/settings/common-tunables.ts';
import { list } from '../../../experiment/injection/settings/declare.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { isCloudError } from '../cloud-error.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { type AwsApi, openAwsApi } from './aws-api.ts';
import { AWS_CREDENTIALS, AWS_TUNABLES, regionOf, regionProblems } from './tunables.ts';

const CALLS = [
  'sts:GetCallerIdentity',
  'rds:DescribeDBInstances',
  'rds:StopDBInstance',
  'rds:StartDBInstance',
] as const;

const OWN = {
  RDS_INSTANCE_IDENTIFIER: list(
    {
      required: true,
      pattern: '[A-Za-z][A-Za-z0-9-]*',
      form: 'identifiers of database instances',
    },
    'Identifiers of the database instances.',
  ),
  INSTANCE_AFFECTED_PERC: affectedShare('instances', 100),
  STATUS_CHECK_TIMEOUT: { ...COMMON_TUNABLES.STATUS_CHECK_TIMEOUT, default: 600 },
} as const;

type DatabaseInstance = NonNullable<AwsOutput<'rds:DescribeDBInstances'>['DBInstances']>[number];

/** What giving back needs. */
interface Parameters {
  readonly instance: string;
  readonly region: string;
}

/** A database takes long to start, and longer when it has to recover. */
const BACK_SECONDS = 1_800;

/**
 * Stops RDS database instances, and starts them again.
 *
 * What is touched: the state of the instances; connections are broken off. How it is undone: they are started. What remains if the
 * experiment dies: instances that are stopped, until recovery starts them; AWS itself starts them after seven days.
 */
export default resourceFault<typeof OWN & typeof AWS_TUNABLES, AwsApi, Parameters>({
  name: 'rds-instance-stop',
  summary: 'Stops RDS database instances, and starts them again.',
  kind: 'RDS',
  tunables: { ...RESOURCE_TUNABLES, ...OWN, ...AWS_TUNABLES },
  calls: CALLS,
  credentials: AWS_CREDENTIALS,
  words: ['stop', 'stopped'],
  backSeconds: BACK_SECONDS,
  validate: regionProblems,
  open: (settings) => openAwsApi(settings, regionOf(settings), CALLS),
  select: async (api, settings: Tunables<typeof OWN>, context) => {
    const place = await api.place(context);
    const { RDS_INSTANCE_IDENTIFIER: named, INSTANCE_AFFECTED_PERC: share } = settings;
    return {
      names: samplePercentage(named, share, context.random).map((one) => `${place}/${one}`),
      what: 'database instances named in RDS_INSTANCE_IDENTIFIER',
    };
  },
  observe: async (api, target, _settings, context) => {
    const instance = lastPart(target);
    const found = await databaseOf(api, instance, context);
    if (found === undefined) refuse(target, 'there is no such database instance');
    const { DBInstanceStatus: status, DBClusterIdentifier: cluster } = found;
    if (cluster !== undefined) {
      refuse(target, `it is a member of cluster ${cluster}: its members are not stopped one by one`);
    }
    if (status !== 'available') refuse(target, `it is ${status}; it has to be available to be stopped`);
    return { instance, region: api.region };
  },
  look: async (api, { instance }, context) =>
    lookAtDatabase((await databaseOf(api, instance, context))?.DBInstanceStatus),
  take: async (api, { instance }, context) => {
    await api.call('rds:StopDBInstance', { DBInstanceIdentifier: instance }, context);
  },
  give: async (api, { instance }, context) => {
    await api.call('rds:StartDBInstance', { DBInstanceIdentifier: instance }, context);
  },
});

/** How a database instance is, by its status. Pure. */
export function lookAtDatabase(status: string | undefined): Look {
  switch (status) {
    case 'available':
      return { state: 'there', words: 'is available' };
    case 'stopped':
      return { state: 'taken', words: 'is stopped' };
    case 'stopping':
      return { state: 'going', words: 'is stopping' };
    case undefined:
      return { state: 'gone', words: 'does not exist any more' };
    case 'deleting':
      return { state: 'gone', words: 'is being deleted' };
    default:
      // starting, configuring-…, backing-up, modifying and others: it becomes available.
      return { state: 'coming', words: `is ${status}` };
  }
}

async function databaseOf(
  api: AwsApi,
  instance: string,
  context: CallContext,
): Promise<DatabaseInstance | undefined> {
  try {
    const input = { DBInstanceIdentifier: instance };
    return (await api.call('rds:DescribeDBInstances', input, context)).DBInstances?.[0];
  } catch (error) {
    if (isCloudError(error, 'gone')) return undefined;
    throw error;
  }
}
