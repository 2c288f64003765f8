import { isObject } from '@turnsole/kube/text/json';
import { list } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { type Choice, partsOf } from './choice.ts';
import { type GcpApi, type GcpObject, nameIn, placeIn } from './gcp-api.ts';
import { GCP_TUNABLES, label, labelFilter, oneZoneProblems, zoneProblems } from './tunables.ts';

const CALLS = [
  'compute.disks.get',
  'compute.disks.list',
  'compute.disks.use',
  'compute.instances.get',
  'compute.instances.attachDisk',
  'compute.instances.detachDisk',
  'compute.zoneOperations.get',
] as const;

/** What giving back needs: the disk, and how it was attached. */
interface DiskParameters {
  readonly disk: string;
  readonly zone: string;
  readonly instance: string;
  /** URL of the disk. */
  readonly source: string;
  readonly deviceName: string;
  readonly mode: string;
  readonly autoDelete: boolean;
  readonly interface?: string;
}

/**
 * Detaches disks from instances of Compute Engine, and attaches them again.
 *
 * What is touched: the attachment of the disks; what their instances have not written yet is lost. How it is undone: they are attached to
 * the same instance with the same device name, mode, interface and deletion. What remains if the experiment dies: detached disks, until
 * recovery attaches them.
 */
function diskLoss<S extends TunableSchema>(name: string, summary: string, own: Choice<S>) {
  return resourceFault<TunableSchema, GcpApi, DiskParameters>({
    name,
    summary,
    kind: 'DiskVolume',
    tunables: { ...RESOURCE_TUNABLES, ...own.tunables, ...GCP_TUNABLES },
    ...partsOf(own, CALLS),
    words: ['detach', 'detached'],
    observe: (api, target, _settings, context) => observe(api, target, context),
    look: async (api, parameters, context) => {
      const { disk, zone, instance } = parameters;
      const found = await diskOf(api, zone, disk, context);
      return lookAtDisk(found, await instanceOf(api, zone, instance, context), parameters);
    },
    take: (api, { zone, instance, deviceName }, context) => {
      const path = `zones/${zone}/instances/${instance}/detachDisk?deviceName=${encodeURIComponent(deviceName)}`;
      return api.operate(zone, { permission: 'compute.instances.detachDisk', path }, context);
    },
    give: (api, { zone, instance, disk: _disk, ...body }, context) => {
      const path = `zones/${zone}/instances/${instance}/attachDisk`;
      return api.operate(zone, { permission: 'compute.instances.attachDisk', path, body }, context);
    },
  });
}

async function observe(api: GcpApi, target: string, context: CallContext): Promise<DiskParameters> {
  const { zone, name: disk } = placeIn(target);
  const found = await diskOf(api, zone, disk, context);
  if (found === undefined) refuse(target, `there is no such disk in ${zone}`);
  const users = usersOf(found);
  const [instance] = users;
  if (instance === undefined) refuse(target, 'it is attached to no instance');
  if (users.length > 1) refuse(target, `it is attached to several instances: ${users.join(', ')}`);
  const attached = attachmentOf(await instanceOf(api, zone, instance, context), disk);
  if (attached === undefined) refuse(target, `instance ${instance} does not list it among its disks`);
  if (attached.boot === true)
    refuse(target, `it is the boot disk of ${instance}, without which that does not run`);
  const { deviceName, mode, autoDelete, source, interface: connection } = attached;
  return {
    disk,
    zone,
    instance,
    source: String(source),
    deviceName: String(deviceName),
    mode: String(mode ?? 'READ_WRITE'),
    autoDelete: autoDelete === true,
    ...(typeof connection === 'string' ? { interface: connection } : {}),
  };
}

/** How a disk is, beside how it was. Pure. */
export function lookAtDisk(
  disk: GcpObject | undefined,
  instance: GcpObject | undefined,
  was: Pick<DiskParameters, 'disk' | 'instance' | 'deviceName'>,
): Look {
  if (disk === undefined) return { state: 'gone', words: 'does not exist any more' };
  const users = usersOf(disk);
  const attached = attachmentOf(instance, was.disk);
  if (attached !== undefined) {
    return attached.deviceName === was.deviceName
      ? { state: 'there', words: `is attached to ${was.instance}` }
      : { state: 'gone', words: `is attached to ${was.instance} as ${String(attached.deviceName)}` };
  }
  const [other] = users.filter((user) => user !== was.instance);
  if (other !== undefined) return { state: 'gone', words: `is attached to ${other}` };
  if (instance === undefined) {
    return { state: 'gone', words: `is detached, and its instance ${was.instance} does not exist any more` };
  }
  return users.length > 0
    ? { state: 'going', words: `is being detached from ${was.instance}` }
    : { state: 'taken', words: 'is detached' };
}

function usersOf({ users }: GcpObject): readonly string[] {
  return Array.isArray(users) ? users.map(nameIn) : [];
}

function attachmentOf(instance: GcpObject | undefined, disk: string): GcpObject | undefined {
  const disks = Array.isArray(instance?.disks) ? instance.disks.filter(isObject) : [];
  return disks.find(({ source }) => nameIn(source) === disk);
}

function diskOf(api: GcpApi, zone: string, disk: string, context: CallContext) {
  return api.find({ permission: 'compute.disks.get', path: `zones/${zone}/disks/${disk}` }, context);
}

function instanceOf(api: GcpApi, zone: string, instance: string, context: CallContext) {
  return api.find(
    { permission: 'compute.instances.get', path: `zones/${zone}/instances/${instance}` },
    context,
  );
}

const BY_NAME = { DISK_VOLUME_NAMES: list({ required: true }, 'Names of the disks.') } as const;

export const lossByName = () =>
  diskLoss<typeof BY_NAME>(
    'gcp-vm-disk-loss',
    'Detaches disks of Compute Engine by their names, and attaches them again.',
    {
      tunables: BY_NAME,
      validate: ({ DISK_VOLUME_NAMES, ZONES }) => zoneProblems('DISK_VOLUME_NAMES', DISK_VOLUME_NAMES, ZONES),
      choose: ({ project }, { DISK_VOLUME_NAMES, ZONES }) =>
        Promise.resolve({
          names: DISK_VOLUME_NAMES.map((name, index) => `${project}/${ZONES[index]}/${name}`),
          what: 'disks named in DISK_VOLUME_NAMES',
        }),
    },
  );

const BY_LABEL = { DISK_VOLUME_LABEL: label('disks'), DISK_AFFECTED_PERC: affectedShare('disks') } as const;

export const lossByLabel = () =>
  diskLoss<typeof BY_LABEL>(
    'gcp-vm-disk-loss-by-label',
    'Detaches disks of Compute Engine that have a label, or a share of them, and attaches them again.',
    {
      tunables: BY_LABEL,
      validate: ({ ZONES }) => oneZoneProblems(ZONES),
      choose: async (api, { DISK_VOLUME_LABEL, DISK_AFFECTED_PERC, ZONES: [zone = ''] }, context) => {
        const attached = async (filter: string): Promise<string[]> => {
          const query = filter === '' ? '' : `&filter=${encodeURIComponent(filter)}`;
          const path = `zones/${zone}/disks?maxResults=500${query}`;
          const found = await api.list({ permission: 'compute.disks.list', path }, context);
          return found
            .filter((disk) => usersOf(disk).length > 0)
            .map(({ name }) => String(name))
            .toSorted();
        };
        const labelled = await attached(labelFilter(DISK_VOLUME_LABEL));
        return {
          names: samplePercentage(labelled, DISK_AFFECTED_PERC, context.random).map(
            (name) => `${api.project}/${zone}/${name}`,
          ),
          what: `attached disks with label ${DISK_VOLUME_LABEL} in ${api.project}/${zone}`,
          all: (await attached('')).length,
        };
      },
    },
  );
