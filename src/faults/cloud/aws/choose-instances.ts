import { samplePercentage } from '../../../experiment/targets/sample.ts';
import type { Selection } from '../guard.ts';
import type { CallContext } from '../resource-fault.ts';
import { affectedShare } from '../tunables.ts';
import type { AwsApi } from './aws-api.ts';
import { runningInstances } from './ec2-instances.ts';
import { ids, tag, tagFilter } from './tunables.ts';

/** Chooses instances by settings. */
export type Choosing<Settings> = (
  api: AwsApi,
  settings: Settings,
  context: CallContext,
) => Promise<Selection>;

/** Settings that name instances. */
interface ById {
  readonly EC2_INSTANCE_ID: readonly string[];
}

/** Settings that describe instances. */
interface ByTag {
  readonly EC2_INSTANCE_TAG: string;
  readonly INSTANCE_AFFECTED_PERC: number;
}

/** Instances that were named. */
export const chooseById = {
  tunables: { EC2_INSTANCE_ID: ids('instances', 'i') },
  choose: (async (api, { EC2_INSTANCE_ID: named }, context) => {
    const place = await api.place(context);
    return { names: named.map((id) => `${place}/${id}`), what: `instances named in EC2_INSTANCE_ID` };
  }) satisfies Choosing<ById>,
} as const;

/** Running instances with a tag, or a share of them. */
export const chooseByTag = {
  tunables: { EC2_INSTANCE_TAG: tag('instances'), INSTANCE_AFFECTED_PERC: affectedShare('instances') },
  choose: (async (api, { EC2_INSTANCE_TAG: wanted, INSTANCE_AFFECTED_PERC: share }, context) => {
    const place = await api.place(context);
    const tagged = await runningInstances(api, [tagFilter(wanted)], context);
    const all = await runningInstances(api, [], context);
    const found = tagged.flatMap(({ InstanceId }) => InstanceId ?? []).toSorted();
    return {
      names: samplePercentage(found, share, context.random).map((id) => `${place}/${id}`),
      what: `running instances with tag ${wanted} in ${place}`,
      all: all.length,
    };
  }) satisfies Choosing<ByTag>,
} as const;
