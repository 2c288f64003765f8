import { choice, list } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { type CallContext, type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { type Choice, partsOf } from './choice.ts';
import { type GcpApi, placeIn } from './gcp-api.ts';
import { GCP_TUNABLES, label, labelFilter, oneZoneProblems, zoneProblems } from './tunables.ts';

const CALLS = [
  'compute.instances.get',
  'compute.instances.list',
  'compute.instances.stop',
  'compute.instances.start',
  'compute.zoneOperations.get',
] as const;

const MANAGED = {
  MANAGED_INSTANCE_GROUP: choice(
    { choices: ['disable', 'enable'], default: 'disable' },
    'enable: the instances belong to a managed group, which may bring them back while they should be away; that is no error then.',
  ),
} as const;

/** What giving back needs. */
interface Parameters {
  readonly name: string;
  readonly zone: string;
  readonly isManaged: boolean;
}

type Settings = Tunables<typeof MANAGED>;

/**
 * Stops instances of Compute Engine, and starts them again.
 *
 * What is touched: the state of the instances; what they have in memory is lost. How it is undone: they are started. What remains if the
 * experiment dies: instances that are stopped, until recovery starts them.
 */
function instanceStop<S extends TunableSchema>(name: string, summary: string, own: Choice<S>) {
  return resourceFault<TunableSchema, GcpApi, Parameters>({
    name,
    summary,
    kind: 'VM',
    tunables: { ...RESOURCE_TUNABLES, ...own.tunables, ...MANAGED, ...GCP_TUNABLES },
    ...partsOf(own, CALLS),
    words: ['stop', 'stopped'],
    observe: async (api, target, settings, context) => {
      const place = placeIn(target);
      const status = await statusOf(api, place, context);
      if (status === undefined) refuse(target, 'there is no such instance');
      if (status !== 'RUNNING')
        refuse(target, `it is ${status}; an instance has to be RUNNING to be stopped`);
      const isManaged = (settings as unknown as Settings).MANAGED_INSTANCE_GROUP === 'enable';
      return { ...place, isManaged };
    },
    look: async (api, parameters, context) => lookAtInstance(await statusOf(api, parameters, context)),
    take: (api, { name: instance, zone }, context) => {
      const path = `zones/${zone}/instances/${instance}/stop`;
      return api.operate(zone, { permission: 'compute.instances.stop', path }, context);
    },
    give: (api, { name: instance, zone }, context) => {
      const path = `zones/${zone}/instances/${instance}/start`;
      return api.operate(zone, { permission: 'compute.instances.start', path }, context);
    },
    isReplaced: ({ isManaged }) => isManaged,
  });
}

async function statusOf(
  api: GcpApi,
  { name, zone }: Pick<Parameters, 'name' | 'zone'>,
  context: CallContext,
): Promise<string | undefined> {
  const path = `zones/${zone}/instances/${name}`;
  const found = await api.find({ permission: 'compute.instances.get', path }, context);
  return found === undefined ? undefined : String(found.status);
}

/** How an instance is, by its status. Pure. */
export function lookAtInstance(status: string | undefined): Look {
  switch (status) {
    case 'RUNNING':
      return { state: 'there', words: 'is RUNNING' };
    case 'TERMINATED':
      return { state: 'taken', words: 'is stopped' };
    case undefined:
      return { state: 'gone', words: 'does not exist any more' };
    case 'STOPPING':
    case 'SUSPENDING':
      return { state: 'going', words: `is ${status}` };
    case 'PROVISIONING':
    case 'STAGING':
    case 'REPAIRING':
      return { state: 'coming', words: `is ${status}` };
    default:
      return { state: 'gone', words: `is ${status}` };
  }
}

const BY_NAME = {
  VM_INSTANCE_NAMES: list({ required: true }, 'Names of the instances.'),
} as const;

export const stopByName = () =>
  instanceStop<typeof BY_NAME>(
    'gcp-vm-instance-stop',
    'Stops instances of Compute Engine by their names, and starts them again.',
    {
      tunables: BY_NAME,
      validate: ({ VM_INSTANCE_NAMES, ZONES }) => zoneProblems('VM_INSTANCE_NAMES', VM_INSTANCE_NAMES, ZONES),
      choose: ({ project }, { VM_INSTANCE_NAMES, ZONES }) =>
        Promise.resolve({
          names: VM_INSTANCE_NAMES.map((name, index) => `${project}/${ZONES[index]}/${name}`),
          what: 'instances named in VM_INSTANCE_NAMES',
        }),
    },
  );

const BY_LABEL = {
  INSTANCE_LABEL: label('instances'),
  INSTANCE_AFFECTED_PERC: affectedShare('instances'),
} as const;

export const stopByLabel = () =>
  instanceStop<typeof BY_LABEL>(
    'gcp-vm-instance-stop-by-label',
    'Stops running instances of Compute Engine that have a label, or a share of them, and starts them again.',
    {
      tunables: BY_LABEL,
      validate: ({ ZONES }) => oneZoneProblems(ZONES),
      choose: async (api, { INSTANCE_LABEL, INSTANCE_AFFECTED_PERC, ZONES: [zone = ''] }, context) => {
        const running = async (filter: string): Promise<string[]> => {
          const query = encodeURIComponent(`status=RUNNING${filter === '' ? '' : ` AND ${filter}`}`);
          const path = `zones/${zone}/instances?maxResults=500&filter=${query}`;
          const found = await api.list({ permission: 'compute.instances.list', path }, context);
          return found.map(({ name }) => String(name)).toSorted();
        };
        const labelled = await running(labelFilter(INSTANCE_LABEL));
        return {
          names: samplePercentage(labelled, INSTANCE_AFFECTED_PERC, context.random).map(
            (name) => `${api.project}/${zone}/${name}`,
          ),
          what: `running instances with label ${INSTANCE_LABEL} in ${api.project}/${zone}`,
          all: (await running('')).length,
        };
      },
    },
  );
