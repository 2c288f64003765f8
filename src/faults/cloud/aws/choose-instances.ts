import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { affectedShare } from '../tunables.ts';
import type { Choice } from './choice.ts';
import { runningInstances } from './ec2-instances.ts';
import { ids, tag, tagFilter } from './tunables.ts';

const BY_ID = { EC2_INSTANCE_ID: ids('instances', 'i') } as const;

/** Instances that were named. */
export const chooseById: Choice<typeof BY_ID> = {
  tunables: BY_ID,
  choose: async (api, { EC2_INSTANCE_ID: named }, context) => {
    const place = await api.place(context);
    return { names: named.map((id) => `${place}/${id}`), what: `instances named in EC2_INSTANCE_ID` };
  },
};

const BY_TAG = {
  EC2_INSTANCE_TAG: tag('instances'),
  INSTANCE_AFFECTED_PERC: affectedShare('instances'),
} as const;

/** Running instances with a tag, or a share of them. */
export const chooseByTag: Choice<typeof BY_TAG> = {
  tunables: BY_TAG,
  choose: async (api, { EC2_INSTANCE_TAG: wanted, INSTANCE_AFFECTED_PERC: share }, context) => {
    const place = await api.place(context);
    const tagged = await runningInstances(api, [tagFilter(wanted)], context);
    const all = await runningInstances(api, [], context);
    const found = tagged.flatMap(({ InstanceId }) => InstanceId ?? []).toSorted();
    return {
      names: samplePercentage(found, share, context.random).map((id) => `${place}/${id}`),
      what: `running instances with tag ${wanted} in ${place}`,
      all: all.length,
    };
  },
};
