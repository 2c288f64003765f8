import { isObject } from '@turnsole/kube/text/json';
import type { CallContext } from '../resource-fault.ts';
import type { AzureApi, AzureObject, AzureRequest } from './azure-api.ts';

/** A virtual machine, or an instance of a scale set, in a subscription. */
export interface Machine {
  readonly group: string;
  /** The scale set of an instance. */
  readonly set?: string;
  /** Of an instance: its number. */
  readonly name: string;
}

/** Kinds of machines, as permissions begin. */
const ALONE = 'Microsoft.Compute/virtualMachines';
const OF_A_SET = 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines';

/** What is done with a machine: the last part of its permission, and of its path. */
const ACTS = {
  read: '',
  'instanceView/read': '/instanceView',
  'powerOff/action': '/powerOff',
  'start/action': '/start',
  'attachDetachDataDisks/action': '/attachDetachDataDisks',
} as const;

type Act = keyof typeof ACTS;

/** The permissions for this, for machines of both kinds. Pure. */
export function permissionsFor(...acts: readonly Act[]): string[] {
  return [ALONE, OF_A_SET].flatMap((kind) => acts.map((act) => `${kind}/${act}`));
}

/** A request about a machine. Pure. */
export function ofMachine(
  { group, set, name }: Machine,
  act: Act,
): Pick<AzureRequest, 'permission' | 'path'> {
  const [kind, owner] =
    set === undefined
      ? [ALONE, 'virtualMachines']
      : [OF_A_SET, `virtualMachineScaleSets/${encodeURIComponent(set)}/virtualMachines`];
  const path = `${computeIn(group)}/${owner}/${encodeURIComponent(name)}${ACTS[act]}`;
  return { permission: `${kind}/${act}`, path };
}

/** The instances of a scale set, with their states. Pure. */
export function ofSet(group: string, set: string): AzureRequest {
  const path = `${computeIn(group)}/virtualMachineScaleSets/${encodeURIComponent(set)}/virtualMachines`;
  return { permission: `${OF_A_SET}/read`, path, query: { $expand: 'instanceView' } };
}

/** Where machines and disks of a resource group are. Pure. */
export function computeIn(group: string): string {
  return `resourceGroups/${encodeURIComponent(group)}/providers/Microsoft.Compute`;
}

/** A machine by its name in settings: of an instance that of its set and its number, `web_3`. Pure. */
export function machineNamed(group: string, name: string, isOfSet: boolean): Machine {
  if (!isOfSet) return { group, name };
  // Names of sets may have underscores, numbers have none.
  const at = name.lastIndexOf('_');
  return { group, set: name.slice(0, at), name: name.slice(at + 1) };
}

/** A machine by the id of its resource; undefined when it is that of something else. Pure. */
export function machineOf(id: string): Machine | undefined {
  const found =
    /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/(?:virtualMachineScaleSets\/([^/]+)\/)?virtualMachines\/([^/]+)$/i.exec(
      id,
    );
  const [, group, set, name] = found ?? [];
  if (group === undefined || name === undefined) return undefined;
  return { group, ...(set === undefined ? {} : { set }), name };
}

/** A machine as settings name it. Pure. */
export function nameOf({ set, name }: Machine): string {
  return set === undefined ? name : `${set}_${name}`;
}

/** The state of a machine, `running`; undefined when there is no such machine. */
export async function powerOf(
  api: AzureApi,
  machine: Machine,
  context: CallContext,
): Promise<string | undefined> {
  const view = await api.find(ofMachine(machine, 'instanceView/read'), context);
  return view === undefined ? undefined : powerIn(view);
}

/** The state in the view of a machine: its status `PowerState/…`; `unknown` without one. Pure. */
export function powerIn({ statuses }: AzureObject): string {
  const codes = Array.isArray(statuses) ? statuses.filter(isObject).map(({ code }) => String(code)) : [];
  const power = codes.find((code) => code.startsWith('PowerState/')) ?? 'PowerState/unknown';
  return power.slice('PowerState/'.length);
}
