import { flag, list, text } from '../../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { samplePercentage } from '../../../experiment/targets/sample.ts';
import { lastPart } from '../last-part.ts';
import { type Look, refuse, resourceFault } from '../resource-fault.ts';
import { affectedShare, RESOURCE_TUNABLES } from '../tunables.ts';
import { baseOf, VCenter } from './vcenter.ts';

const CALLS = [
  'System.Read',
  'System.View',
  'VirtualMachine.Interact.PowerOff',
  'VirtualMachine.Interact.PowerOn',
] as const;

const OWN = {
  APP_VM_MOIDS: list(
    { pattern: 'vm-\\d+', form: 'ids such as vm-65' },
    'Ids of the virtual machines (managed object ids).',
  ),
  APP_VM_TAG: text('Tag of the virtual machines, which counts where APP_VM_MOIDS is empty.'),
  INSTANCE_AFFECTED_PERC: affectedShare('machines with the tag', 100),
  VCENTERSERVER: { type: 'text', default: '', required: true, description: 'Address of vCenter.' },
  VCENTERUSER: { type: 'text', default: '', required: true, description: 'User of vCenter.' },
  VCENTERPASS: { type: 'text', default: '', required: true, description: 'Password of that user.' },
  VCENTER_VERIFY_TLS: flag(
    false,
    "Whether vCenter's certificate has to be trusted by the experiment; few are.",
  ),
} as const;

/** What switching on needs. */
interface Parameters {
  readonly machine: string;
}

/**
 * Switches virtual machines of vCenter off, and on again.
 *
 * What is touched: the power of the machines; what they have in memory is lost. How it is undone: they are switched on. What remains if the
 * experiment dies: machines that are off, until recovery. User and password stand in no ledger and in no message.
 */
export default resourceFault<typeof OWN, VCenter, Parameters>({
  name: 'vm-poweroff',
  summary: 'Switches virtual machines of vCenter off, and on again.',
  kind: 'VM',
  tunables: { ...RESOURCE_TUNABLES, ...OWN },
  calls: CALLS,
  credentials: {
    secret: 'vcenter-secret',
    variables: { VCENTERSERVER: 'VCENTERSERVER', VCENTERUSER: 'VCENTERUSER', VCENTERPASS: 'VCENTERPASS' },
  },
  words: ['switch off', 'switched off'],
  validate,
  open: ({
    VCENTERSERVER: server,
    VCENTERUSER: user,
    VCENTERPASS: password,
    VCENTER_VERIFY_TLS: verifyTls,
  }) => Promise.resolve(new VCenter({ server, user, password, verifyTls })),
  select: async (vcenter, settings, context) => {
    const { APP_VM_MOIDS: named, APP_VM_TAG: wanted, INSTANCE_AFFECTED_PERC: share } = settings;
    const place = await vcenter.place();
    if (named.length > 0) {
      return { names: named.map((id) => `${place}/${id}`), what: 'machines named in APP_VM_MOIDS' };
    }
    const found = (await vcenter.runningAmong(await vcenter.tagged(wanted, context), context)).toSorted();
    return {
      names: samplePercentage(found, share, context.random).map((id) => `${place}/${id}`),
      what: `machines with tag ${wanted} that are on, in ${place}`,
      all: await vcenter.runningCount(context),
    };
  },
  observe: async (vcenter, target, _settings, context) => {
    const machine = lastPart(target);
    const power = await vcenter.power(machine, context);
    if (power === undefined) refuse(target, 'there is no such machine');
    if (power !== 'POWERED_ON') refuse(target, `it is ${power}; a machine has to be on to be switched off`);
    return { machine };
  },
  look: async (vcenter, { machine }, context) => lookAtMachine(await vcenter.power(machine, context)),
  take: (vcenter, { machine }, context) => vcenter.setPower(machine, 'stop', context),
  give: (vcenter, { machine }, context) => vcenter.setPower(machine, 'start', context),
});

function validate({
  APP_VM_MOIDS: named,
  APP_VM_TAG: tag,
  VCENTERSERVER: server,
}: Pick<Tunables<typeof OWN>, 'APP_VM_MOIDS' | 'APP_VM_TAG' | 'VCENTERSERVER'>): readonly TunableProblem[] {
  return [
    ...(named.length > 0 || tag !== ''
      ? []
      : [{ variable: 'APP_VM_MOIDS', found: '', expected: 'ids of machines, or APP_VM_TAG' }]),
    ...(URL.canParse(baseOf(server))
      ? []
      : [
          {
            variable: 'VCENTERSERVER',
            found: server,
            expected: 'a host, with a port where it is not 443, or a URL',
          },
        ]),
  ];
}

/** How a machine is, by its power state. Pure. */
export function lookAtMachine(power: string | undefined): Look {
  switch (power) {
    case 'POWERED_ON':
      return { state: 'there', words: 'is on' };
    case 'POWERED_OFF':
      return { state: 'taken', words: 'is off' };
    case undefined:
      return { state: 'gone', words: 'does not exist any more' };
    default:
      return { state: 'part', words: `is ${power}` };
  }
}
