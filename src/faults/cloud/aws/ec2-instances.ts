import type { AwsOutput } from '@turnsole/cloud/aws/actions';
import type { CallContext } from '../resource-fault.ts';
import type { AwsApi } from './aws-api.ts';

/** An instance, as the API describes it. */
export type Ec2Instance = NonNullable<
  NonNullable<AwsOutput<'ec2:DescribeInstances'>['Reservations']>[number]['Instances']
>[number];

/** Most ids that one call names. */
const MOST_IDS = 200;
/** Entries of a page. */
const PAGE = 500;

/** The instances of these ids; those that do not exist are left out. */
async function instancesOf(
  api: AwsApi,
  ids: readonly string[],
  context: CallContext,
): Promise<readonly Ec2Instance[]> {
  const found: Ec2Instance[] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    // A filter, unlike a list of ids, does not make one id that is gone an error of all.
    const Filters = [{ Name: 'instance-id', Values: ids.slice(from, from + MOST_IDS) }];
    found.push(...(await instancesBy(api, Filters, context)));
  }
  return found;
}

/** All running instances that match the filters. */
export function runningInstances(
  api: AwsApi,
  filters: readonly { readonly Name: string; readonly Values: string[] }[],
  context: CallContext,
): Promise<readonly Ec2Instance[]> {
  return instancesBy(api, [...filters, { Name: 'instance-state-name', Values: ['running'] }], context);
}

async function instancesBy(
  api: AwsApi,
  filters: readonly { readonly Name: string; readonly Values: string[] }[],
  context: CallContext,
): Promise<readonly Ec2Instance[]> {
  const found: Ec2Instance[] = [];
  let NextToken: string | undefined;
  do {
    const input = {
      Filters: [...filters],
      MaxResults: PAGE,
      ...(NextToken === undefined ? {} : { NextToken }),
    };
    const page = await api.call('ec2:DescribeInstances', input, context);
    found.push(...(page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances));
    NextToken = page.NextToken === '' ? undefined : page.NextToken;
  } while (NextToken !== undefined);
  return found;
}

/** The instance of an id; undefined when it does not exist. */
export async function instanceOf(
  api: AwsApi,
  id: string,
  context: CallContext,
): Promise<Ec2Instance | undefined> {
  return (await instancesOf(api, [id], context))[0];
}
