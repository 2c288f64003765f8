import { isObject } from '@turnsole/kube/text/json';
import { list } from '../../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import type { Selection } from '../guard.ts';
import { lastPart } from '../last-part.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { type AzureApi, openAzureApi } from './azure-api.ts';
import {
  type Machine,
  machineNamed,
  ofMachine,
  ofSet,
  permissionsFor,
  powerIn,
  powerOf,
} from './machines.ts';
import { AZURE_CREDENTIALS, AZURE_TUNABLES } from './tunables.ts';

const CALLS = [
  ...permissionsFor('instanceView/read', 'powerOff/action', 'start/action'),
  'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read',
  'Microsoft.Compute/locations/operations/read',
];

const OWN = {
  AZURE_INSTANCE_NAMES: list(
    { required: true, pattern: '[\\p{L}\\p{N}_.-]+(_\\*)?', form: 'names of machines' },
    'Names of the machines; of instances of scale sets: name of the set and number, web_0, or web_* for all that run.',
  ),
  INSTANCE_AFFECTED_PERC: affectedShare('instances', 100),
} as const;

type Settings = Tunables<typeof OWN & typeof AZURE_TUNABLES>;

/**
 * Stops virtual machines of Azure and instances of scale sets, and starts them again.
 *
 * What is touched: the state of the machines, which stay where they are and are paid for; what they have in memory is lost. How it is undone: they are
 * started. What remains if the experiment dies: machines that are stopped, until recovery starts them.
 */
export default resourceFault<typeof OWN & typeof AZURE_TUNABLES, AzureApi, Machine>({
  name: 'azure-instance-stop',
  summary: 'Stops virtual machines of Azure, or instances of scale sets, and starts them again.',
  kind: 'VM',
  tunables: { ...RESOURCE_TUNABLES, ...OWN, ...AZURE_TUNABLES },
  calls: CALLS,
  credentials: AZURE_CREDENTIALS,
  words: ['stop', 'stopped'],
  validate: nameProblems,
  open: (settings) => openAzureApi(settings, CALLS),
  select,
  observe: async (api, target, { RESOURCE_GROUP: group, SCALE_SET }, context) => {
    const machine = machineNamed(group, lastPart(target), SCALE_SET === 'enable');
    const power = await powerOf(api, machine, context);
    if (power === undefined)
      refuse(target, `there is no such ${SCALE_SET === 'enable' ? 'instance of a scale set' : 'machine'}`);
    if (power !== 'running') refuse(target, `it is ${power}; a machine has to be running to be stopped`);
    return machine;
  },
  look: async (api, machine, context) => lookAtMachine(await powerOf(api, machine, context)),
  take: (api, machine, context) => api.operate(ofMachine(machine, 'powerOff/action'), context),
  give: (api, machine, context) => api.operate(ofMachine(machine, 'start/action'), context),
});

async function select(api: AzureApi, settings: Settings, context: CallContext): Promise<Selection> {
  const { RESOURCE_GROUP: group, AZURE_INSTANCE_NAMES: named, INSTANCE_AFFECTED_PERC: share } = settings;
  const place = `${await api.place()}/${group}`;
  const isOfSet = settings.SCALE_SET === 'enable';
  const found: string[] = [];
  for (const name of named) {
    found.push(
      ...(isOfSet && name.endsWith('_*') ? await runningIn(api, group, name.slice(0, -2), context) : [name]),
    );
  }
  const names = samplePercentage([...new Set(found)], share, context.random).map(
    (name) => `${place}/${name}`,
  );
  if (!named.some((name) => name.endsWith('_*')))
    return { names, what: 'machines named in AZURE_INSTANCE_NAMES' };
  return { names, what: `running instances of ${named.join(', ')} in ${place}`, all: found.length };
}

async function runningIn(api: AzureApi, group: string, set: string, context: CallContext): Promise<string[]> {
  const instances = await api.list(ofSet(group, set), context);
  return instances
    .filter(
      ({ properties }) =>
        isObject(properties) &&
        isObject(properties.instanceView) &&
        powerIn(properties.instanceView) === 'running',
    )
    .map(({ instanceId }) => `${set}_${String(instanceId)}`)
    .toSorted();
}

/** Instances of scale sets have a number, and nothing else stands for several. Pure. */
export function nameProblems({
  AZURE_INSTANCE_NAMES: names,
  SCALE_SET,
}: Pick<Settings, 'AZURE_INSTANCE_NAMES' | 'SCALE_SET'>): readonly TunableProblem[] {
  const isOfSet = SCALE_SET === 'enable';
  const found = names.filter((name) => (isOfSet ? !/.+_(\d+|\*)$/.test(name) : name.includes('*')));
  if (found.length === 0) return [];
  const expected = isOfSet
    ? 'names such as web_0, the set and the number of the instance, or web_* for all'
    : 'names of machines; * stands for instances of a scale set, with SCALE_SET enable';
  return [{ variable: 'AZURE_INSTANCE_NAMES', found: found.join(','), expected }];
}

/** How a machine is, by its state. Pure. */
export function lookAtMachine(power: string | undefined): Look {
  switch (power) {
    case 'running':
      return { state: 'there', words: 'is running' };
    case 'stopped':
    case 'deallocated':
      // Deallocated by another client, it is started all the same.
      return { state: 'taken', words: `is ${power}` };
    case undefined:
      return { state: 'gone', words: 'does not exist any more' };
    case 'stopping':
    case 'deallocating':
      return { state: 'going', words: `is ${power}` };
    default:
      return { state: 'coming', words: `is ${power}` };
  }
}
