import { isObject } from '@turnsole/kube/text/json';
import { list } from '../../../experiment/injection/settings/declare.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { type AzureApi, type AzureObject, openAzureApi } from './azure-api.ts';
import { computeIn, type Machine, machineOf, nameOf, ofMachine, permissionsFor } from './machines.ts';
import { AZURE_CREDENTIALS, AZURE_TUNABLES } from './tunables.ts';

const CALLS = [
  ...permissionsFor('read', 'attachDetachDataDisks/action'),
  'Microsoft.Compute/disks/read',
  // Who attaches a disk changes it.
  'Microsoft.Compute/disks/write',
  'Microsoft.Compute/locations/operations/read',
];

const OWN = {
  VIRTUAL_DISK_NAMES: list(
    { required: true, pattern: '[\\p{L}\\p{N}_.-]+', form: 'names of managed disks' },
    'Names of the managed disks.',
  ),
  DISK_AFFECTED_PERC: affectedShare('disks', 100),
} as const;

/** What giving back needs: the disk, its machine, and how it was attached. */
interface DiskParameters {
  readonly group: string;
  readonly disk: string;
  readonly machine: Machine;
  /** As the API takes it. */
  readonly attachment: {
    readonly diskId: string;
    readonly lun: number;
    readonly caching?: string;
    readonly writeAcceleratorEnabled?: boolean;
    readonly deleteOption?: string;
    readonly diskEncryptionSet?: { readonly id: string };
  };
}

/**
 * Detaches managed disks from virtual machines of Azure and from instances of scale sets, and attaches them again.
 *
 * What is touched: the attachment of the disks; what their machines have not written yet is lost. How it is undone: they are attached to the same machine with
 * the same number (LUN), caching, write accelerator, deletion and encryption set. What remains if the experiment dies: detached disks, until recovery
 * attaches them.
 */
export default resourceFault<typeof OWN & typeof AZURE_TUNABLES, AzureApi, DiskParameters>({
  name: 'azure-disk-loss',
  summary:
    'Detaches managed disks from virtual machines of Azure or instances of scale sets, and attaches them again.',
  kind: 'VirtualDisk',
  tunables: { ...RESOURCE_TUNABLES, ...OWN, ...AZURE_TUNABLES },
  calls: CALLS,
  credentials: AZURE_CREDENTIALS,
  words: ['detach', 'detached'],
  open: (settings) => openAzureApi(settings, CALLS),
  select: async (
    api,
    { RESOURCE_GROUP: group, VIRTUAL_DISK_NAMES: named, DISK_AFFECTED_PERC: share },
    { random },
  ) => {
    const place = `${await api.place()}/${group}`;
    const names = samplePercentage([...new Set(named)], share, random).map((disk) => `${place}/${disk}`);
    return { names, what: 'disks named in VIRTUAL_DISK_NAMES' };
  },
  observe: (api, target, { RESOURCE_GROUP, SCALE_SET }, context) =>
    observe(api, target, RESOURCE_GROUP, SCALE_SET === 'enable', context),
  look: async (api, parameters, context) => {
    const { group, disk, machine } = parameters;
    const found = await diskOf(api, group, disk, context);
    return lookAtDisk(found, await api.find(ofMachine(machine, 'read'), context), parameters);
  },
  take: (api, { machine, attachment: { diskId } }, context) =>
    api.operate(
      { ...ofMachine(machine, 'attachDetachDataDisks/action'), body: { dataDisksToDetach: [{ diskId }] } },
      context,
    ),
  give: (api, { machine, attachment }, context) =>
    api.operate(
      { ...ofMachine(machine, 'attachDetachDataDisks/action'), body: { dataDisksToAttach: [attachment] } },
      context,
    ),
});

async function observe(
  api: AzureApi,
  target: string,
  group: string,
  isOfSet: boolean,
  context: CallContext,
): Promise<DiskParameters> {
  const disk = lastPart(target);
  const found = await diskOf(api, group, disk, context);
  if (found === undefined) refuse(target, `there is no such disk in resource group ${group}`);
  const [owner, ...others] = ownersOf(found);
  if (owner === undefined) refuse(target, 'it is attached to no machine');
  if (others.length > 0) refuse(target, 'it is shared by several machines');
  const machine = machineOf(owner);
  if (machine === undefined) refuse(target, `it is attached to ${owner}, which is no virtual machine`);
  if ((machine.set !== undefined) !== isOfSet) {
    const [is, setting] = isOfSet ? ['no instance', 'disable'] : ['an instance', 'enable'];
    refuse(target, `its machine ${nameOf(machine)} is ${is} of a scale set: set SCALE_SET to ${setting}`);
  }
  const profile = profileOf(await api.find(ofMachine(machine, 'read'), context));
  if (idIn(profile.osDisk) === idOf(found)) {
    refuse(target, `it is the system disk of ${nameOf(machine)}, without which that does not run`);
  }
  const attached = attachmentIn(profile, idOf(found));
  if (attached === undefined)
    refuse(target, `machine ${nameOf(machine)} does not list it among its data disks`);
  const { lun, caching, writeAcceleratorEnabled, deleteOption, managedDisk } = attached;
  const encryption =
    isObject(managedDisk) && isObject(managedDisk.diskEncryptionSet)
      ? managedDisk.diskEncryptionSet.id
      : undefined;
  return {
    group,
    disk,
    machine,
    attachment: {
      diskId: String(found.id),
      lun: Number(lun),
      ...(typeof caching === 'string' ? { caching } : {}),
      ...(typeof writeAcceleratorEnabled === 'boolean' ? { writeAcceleratorEnabled } : {}),
      ...(typeof deleteOption === 'string' ? { deleteOption } : {}),
      ...(typeof encryption === 'string' ? { diskEncryptionSet: { id: encryption } } : {}),
    },
  };
}

/** How a disk is, beside how it was. Pure. */
export function lookAtDisk(
  disk: AzureObject | undefined,
  machine: AzureObject | undefined,
  was: Pick<DiskParameters, 'machine' | 'attachment'>,
): Look {
  if (disk === undefined) return { state: 'gone', words: 'does not exist any more' };
  const name = nameOf(was.machine);
  const owners = ownersOf(disk).map((owner) => machineOf(owner) ?? { group: '', name: owner });
  const other = owners.find((owner) => nameOf(owner).toLowerCase() !== name.toLowerCase());
  if (other !== undefined) return { state: 'gone', words: `is attached to ${nameOf(other)}` };
  if (machine === undefined) {
    return { state: 'gone', words: `is detached, and its machine ${name} does not exist any more` };
  }
  const attached = attachmentIn(profileOf(machine), was.attachment.diskId.toLowerCase());
  if (attached?.toBeDetached === true) return { state: 'going', words: `is being detached from ${name}` };
  if (attached !== undefined) {
    if (attached.lun !== was.attachment.lun) {
      return { state: 'gone', words: `is attached to ${name} with LUN ${String(attached.lun)}` };
    }
    return owners.length > 0
      ? { state: 'there', words: `is attached to ${name}` }
      : { state: 'coming', words: `is being attached to ${name}` };
  }
  return owners.length > 0
    ? { state: 'going', words: `is being detached from ${name}` }
    : { state: 'taken', words: 'is detached' };
}

/** Ids of the machines that have a disk. */
function ownersOf({ managedBy, managedByExtended }: AzureObject): string[] {
  const several = Array.isArray(managedByExtended) ? managedByExtended : [];
  const owners = [managedBy, ...several].filter((owner) => typeof owner === 'string');
  return [...new Map(owners.map((owner) => [owner.toLowerCase(), owner])).values()];
}

function profileOf(machine: AzureObject | undefined): AzureObject {
  const properties = machine?.properties;
  return isObject(properties) && isObject(properties.storageProfile) ? properties.storageProfile : {};
}

/** The API does not keep to one case of letters in ids. */
function idIn(attached: unknown): string | undefined {
  return isObject(attached) && isObject(attached.managedDisk) ? idOf(attached.managedDisk) : undefined;
}

function idOf({ id }: AzureObject): string {
  return String(id).toLowerCase();
}

function attachmentIn({ dataDisks }: AzureObject, id: string): AzureObject | undefined {
  const disks = Array.isArray(dataDisks) ? dataDisks.filter(isObject) : [];
  return disks.find((one) => idIn(one) === id);
}

function diskOf(api: AzureApi, group: string, disk: string, context: CallContext) {
  const path = `${computeIn(group)}/disks/${encodeURIComponent(disk)}`;
  return api.find({ permission: 'Microsoft.Compute/disks/read', path }, context);
}
