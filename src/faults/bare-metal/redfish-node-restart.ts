import { askUntil } from '../../experiment/injection/ask-until.ts';
import {
  describeError,
  InjectError,
  RevertError,
  StatusCheckError,
} from '../../experiment/injection/errors.ts';
import type { Fault, FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { flag, patterned } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { NoAnswerError } from '../remote/ask.ts';
import {
  basicAuthorization,
  type ComputerSystem,
  type Controller,
  findSystem,
  RefusedError,
  reset,
} from './redfish.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long the machine is given before it has to be on again.'),
  IPMI_IP: patterned(
    {
      required: true,
      pattern: '[A-Za-z0-9.:_\\-\\[\\]]+',
      form: 'an address or a host name, with a port if it is not 443',
    },
    "Address of the machine's controller (BMC, iDRAC, iLO) that speaks Redfish.",
  ),
  USER: { type: 'text', default: '', required: true, description: 'User of the controller.' },
  PASSWORD: { type: 'text', default: '', required: true, description: 'Password of that user.' },
  REDFISH_SYSTEM: patterned(
    { default: 'System.Embedded.1', pattern: '[A-Za-z0-9._~\\-]+', form: 'the id of a system' },
    'Which of its systems; a controller that has only one needs no id.',
  ),
  REDFISH_VERIFY_TLS: flag(
    false,
    "Whether the controller's certificate has to be trusted by this machine; few are.",
  ),
} as const satisfies TunableSchema;

type Settings = Tunables<typeof tunables>;

/**
 * Restarts a machine by its controller, out of band, and checks that it is on again.
 *
 * What is touched: one ForceRestart is asked for. How it is undone: the machine comes back by itself; one that is off at the end
 * is switched on. What remains if the experiment dies: nothing but a machine that restarts; recovery looks whether it is on.
 * User and password stand in no ledger and in no message.
 */
const redfishNodeRestart: Fault<typeof tunables> = {
  name: 'redfish-node-restart',
  summary: 'Restarts a bare metal machine by its Redfish controller.',
  tunables,
  targets: 'none',
  shape: 'sustained',
  where: 'api',
  permissions: [],
  targetStatus: 'targeted',
  injectMessage: 'Injecting redfish-node-restart chaos on node',
  health: { subject: 'server', check: checkPower },
  plan: ({ tunables: { IPMI_IP } }) => [
    {
      id: IPMI_IP.replaceAll(/[^A-Za-z0-9.-]/g, '-'),
      target: { kind: 'node', name: IPMI_IP },
      parameters: {},
    },
  ],
  inject,
  hold,
  effect: ({ id }) =>
    Promise.resolve(
      restarted.has(id)
        ? { seen: true, message: 'its controller has taken the order to restart it' }
        : undefined,
    ),
  revert,
};

export default redfishNodeRestart;

function settingsOf({ tunables: found }: FaultContext): Settings {
  // Every process of this fault has its settings; only helpers revert for others, and this one has none.
  return found as unknown as Settings;
}

function controllerOf(address: string, context: FaultContext): Controller {
  const { USER, PASSWORD, REDFISH_VERIFY_TLS } = settingsOf(context);
  return {
    address,
    verifyTls: REDFISH_VERIFY_TLS,
    authorization: basicAuthorization(USER, PASSWORD),
    signal: context.signal,
  };
}

function systemOf(address: string, context: FaultContext): Promise<ComputerSystem> {
  return findSystem(controllerOf(address, context), settingsOf(context).REDFISH_SYSTEM);
}

async function checkPower(_input: unknown, context: FaultContext): Promise<string> {
  const { IPMI_IP } = settingsOf(context);
  await awaitPower(IPMI_IP, context);
  return `the machine behind ${IPMI_IP} is on`;
}

/** @throws StatusCheckError when it is not on in time · RefusedError when asking again would not help */
async function awaitPower(address: string, context: FaultContext): Promise<void> {
  const { clock, signal, recoveryTimeoutMs } = context;
  let found = '';
  const isOn = await askUntil({
    clock,
    signal,
    timeoutMs: recoveryTimeoutMs,
    ask: async () => {
      try {
        const { powerState } = await systemOf(address, context);
        found = `its PowerState is ${powerState ?? 'unknown'}`;
        return powerState === 'On' ? true : undefined;
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error;
        found = error.message;
        return undefined;
      }
    },
  });
  if (isOn === true) return;
  throw new StatusCheckError(
    `the machine behind ${address} is not on after ${recoveryTimeoutMs / 1000} s: ${found}; ` +
      'look at its console, or raise STATUS_CHECK_TIMEOUT',
  );
}

/** Restarts of this process: one that was asked for is not asked for again. */
const restarted = new Set<string>();

async function inject({ id, target }: Injection, context: FaultContext): Promise<void> {
  if (restarted.has(id)) return;
  try {
    const system = await systemOf(target.name, context);
    if (system.powerState !== 'On') {
      throw new InjectError(
        `cannot restart the machine behind ${target.name}: its PowerState is ${system.powerState ?? 'unknown'}; switch it on first`,
      );
    }
    restarted.add(id);
    await reset(controllerOf(target.name, context), system, 'ForceRestart');
  } catch (cause) {
    context.signal.throwIfAborted();
    if (cause instanceof InjectError) throw cause;
    throw new InjectError(`cannot restart the machine behind ${target.name}: ${describeError(cause)}`);
  }
}

async function hold(
  injections: readonly Injection[],
  context: FaultContext,
  durationMs: number,
): Promise<void> {
  await context.clock.sleep(durationMs, context.signal);
  for (const { target } of injections) await awaitPower(target.name, context);
}

async function revert({ target }: Injection, context: FaultContext): Promise<void> {
  try {
    const system = await systemOf(target.name, context);
    if (system.powerState === 'Off') await reset(controllerOf(target.name, context), system, 'On');
  } catch (cause) {
    context.signal.throwIfAborted();
    const hint = cause instanceof RefusedError ? '' : '; look at its console';
    throw new RevertError(
      `cannot see to it that the machine behind ${target.name} is on: ${describeError(cause)}${hint}`,
    );
  }
}
