import type { AwsOutput } from '@turnsole/cloud/aws/actions';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import type { AwsApi } from './aws-api.ts';
import { type Choice, partsOf } from './choice.ts';
import { type Ec2Instance, instanceOf } from './ec2-instances.ts';
import { AWS_TUNABLES, ids, tag, tagFilter } from './tunables.ts';

const CALLS = [
  'sts:GetCallerIdentity',
  'ec2:DescribeVolumes',
  'ec2:DescribeInstances',
  'ec2:DetachVolume',
  'ec2:AttachVolume',
  'ec2:ModifyInstanceAttribute',
] as const;

/** A volume, as the API describes it. */
type Volume = NonNullable<AwsOutput<'ec2:DescribeVolumes'>['Volumes']>[number];

/** What giving back needs: the volume, and how it was attached. */
interface VolumeParameters {
  readonly volume: string;
  readonly region: string;
  readonly instance: string;
  readonly device: string;
  readonly deleteOnTermination: boolean;
}

/**
 * Detaches EBS volumes, and attaches them again.
 *
 * What is touched: the attachment of the volumes; what their instances have not written yet is lost, and their file systems report errors.
 * How it is undone: they are attached to the same instance at the same device, and go with the instance if they did so before. What
 * remains if the experiment dies: detached volumes, until recovery attaches them.
 */
function ebsLoss<S extends TunableSchema>(name: string, summary: string, own: Choice<S>) {
  return resourceFault<TunableSchema, AwsApi, VolumeParameters>({
    name,
    summary,
    kind: 'EBS',
    tunables: { ...RESOURCE_TUNABLES, ...own.tunables, ...AWS_TUNABLES },
    ...partsOf(own, CALLS).parts,
    words: ['detach', 'detached'],
    observe,
    look: async (api, parameters, context) => {
      const volume = await volumeOf(api, parameters.volume, context);
      const instance = await instanceOf(api, parameters.instance, context);
      const look = lookAtVolume(volume, parameters, goesWith(instance, parameters.volume));
      if (look.state !== 'taken') return look;
      // Without its instance it has nowhere to go back to.
      const state = instance?.State?.Name ?? 'terminated';
      if (state !== 'terminated' && state !== 'shutting-down') return look;
      return { state: 'gone', words: `is detached, and its instance ${parameters.instance} is ${state}` };
    },
    take: async (api, { volume, instance, device }, context) => {
      const input = { VolumeId: volume, InstanceId: instance, Device: device };
      await api.call('ec2:DetachVolume', input, context);
    },
    give: async (api, parameters, context) => {
      const { volume, instance, device, deleteOnTermination } = parameters;
      const found = await volumeOf(api, volume, context);
      if (found?.State === 'available') {
        const input = { VolumeId: volume, InstanceId: instance, Device: device };
        await api.call('ec2:AttachVolume', input, context);
        return;
      }
      // An attachment that is made anew does not go with its instance.
      const mapping = {
        DeviceName: device,
        Ebs: { VolumeId: volume, DeleteOnTermination: deleteOnTermination },
      };
      const input = { InstanceId: instance, BlockDeviceMappings: [mapping] };
      await api.call('ec2:ModifyInstanceAttribute', input, context);
    },
  });
}

async function observe(
  api: AwsApi,
  target: string,
  _settings: unknown,
  context: CallContext,
): Promise<VolumeParameters> {
  const volume = lastPart(target);
  const found = await volumeOf(api, volume, context);
  if (found === undefined) refuse(target, 'there is no such volume');
  const { Attachments = [] } = found;
  const [attachment] = Attachments;
  const { InstanceId: instance, Device: device, State: state } = attachment ?? {};
  if (attachment === undefined || instance === undefined || device === undefined) {
    refuse(target, 'it is attached to no instance');
  }
  if (Attachments.length > 1) {
    const all = Attachments.map(({ InstanceId }) => InstanceId).join(', ');
    refuse(target, `it is attached to several instances: ${all}`);
  }
  if (state !== 'attached') refuse(target, `it is ${state}`);
  const owner = await instanceOf(api, instance, context);
  if (owner?.RootDeviceName === device) {
    refuse(target, `it is the root device of ${instance}, without which that does not run`);
  }
  return { volume, region: api.region, instance, device, deleteOnTermination: goesWith(owner, volume) };
}

/** Whether a volume is deleted together with its instance. Pure. */
function goesWith(instance: Ec2Instance | undefined, volume: string): boolean {
  const mapping = instance?.BlockDeviceMappings?.find(({ Ebs }) => Ebs?.VolumeId === volume);
  return mapping?.Ebs?.DeleteOnTermination ?? false;
}

/** How a volume is, beside how it was. Pure. */
export function lookAtVolume(
  volume: Pick<Volume, 'State' | 'Attachments'> | undefined,
  { instance, device, deleteOnTermination }: VolumeParameters,
  goesWithInstance: boolean,
): Look {
  if (volume === undefined) return { state: 'gone', words: 'does not exist any more' };
  const attachments = (volume.Attachments ?? []).filter(({ State }) => State !== 'detached');
  const own = attachments.find(({ InstanceId }) => InstanceId === instance);
  if (own === undefined) {
    const [other] = attachments;
    if (other !== undefined) return { state: 'gone', words: `is attached to ${other.InstanceId}` };
    if (volume.State === 'available') return { state: 'taken', words: 'is detached' };
    if (volume.State === 'in-use' || volume.State === 'creating') {
      return { state: 'going', words: `is ${volume.State}` };
    }
    return { state: 'gone', words: `is ${volume.State}` };
  }
  switch (own.State) {
    case 'attaching':
      return { state: 'coming', words: `is being attached to ${instance}` };
    case 'detaching':
    case 'busy':
      return { state: 'going', words: `is being detached from ${instance}; unmount it there` };
    default:
      if (own.Device !== device)
        return { state: 'gone', words: `is attached to ${instance} as ${own.Device}` };
      return goesWithInstance === deleteOnTermination
        ? { state: 'there', words: `is attached to ${instance} as ${device}` }
        : { state: 'part', words: `is attached to ${instance}, with another DeleteOnTermination` };
  }
}

async function volumeOf(api: AwsApi, id: string, context: CallContext): Promise<Volume | undefined> {
  return (await volumesBy(api, [{ Name: 'volume-id', Values: [id] }], context))[0];
}

async function volumesBy(
  api: AwsApi,
  filters: readonly { readonly Name: string; readonly Values: string[] }[],
  context: CallContext,
): Promise<readonly Volume[]> {
  const found: Volume[] = [];
  let NextToken: string | undefined;
  do {
    const input = {
      Filters: [...filters],
      MaxResults: 500,
      ...(NextToken === undefined ? {} : { NextToken }),
    };
    const page = await api.call('ec2:DescribeVolumes', input, context);
    found.push(...(page.Volumes ?? []));
    NextToken = page.NextToken === '' ? undefined : page.NextToken;
  } while (NextToken !== undefined);
  return found;
}

const BY_ID = { EBS_VOLUME_ID: ids('volumes', 'vol') } as const;

/** Volumes that were named. */
const byId: Choice<typeof BY_ID> = {
  tunables: BY_ID,
  choose: async (api, { EBS_VOLUME_ID: named }, context) => {
    const place = await api.place(context);
    return { names: named.map((id) => `${place}/${id}`), what: 'volumes named in EBS_VOLUME_ID' };
  },
};

const BY_TAG = { EBS_VOLUME_TAG: tag('volumes'), VOLUME_AFFECTED_PERC: affectedShare('volumes') } as const;

/** Attached volumes with a tag, or a share of them. */
const byTag: Choice<typeof BY_TAG> = {
  tunables: BY_TAG,
  choose: async (api, { EBS_VOLUME_TAG: wanted, VOLUME_AFFECTED_PERC: share }, context) => {
    const place = await api.place(context);
    const attached = { Name: 'attachment.status', Values: ['attached'] };
    const tagged = await volumesBy(api, [tagFilter(wanted), attached], context);
    const all = await volumesBy(api, [attached], context);
    const found = tagged.flatMap(({ VolumeId }) => VolumeId ?? []).toSorted();
    return {
      names: samplePercentage(found, share, context.random).map((id) => `${place}/${id}`),
      what: `attached volumes with tag ${wanted} in ${place}`,
      all: all.length,
    };
  },
};

export const ebsLossById = () =>
  ebsLoss(
    'ebs-loss-by-id',
    'Detaches EBS volumes from their instances by their ids, and attaches them again.',
    byId,
  );

export const ebsLossByTag = () =>
  ebsLoss(
    'ebs-loss-by-tag',
    'Detaches EBS volumes that have a tag, or a share of them, and attaches them again.',
    byTag,
  );
