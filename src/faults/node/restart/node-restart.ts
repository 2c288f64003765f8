import { isEmbeddedNode } from '@turnsole/cluster/node/machine/embedded-node';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/index';
import type { InjectionTarget } from '../../../api/index.ts';
import { InjectError, StatusCheckError } from '../../../experiment/injection/errors.ts';
import {
  type Fault,
  type FaultContext,
  type Injection,
  type Observed,
  type PlanInput,
  parametersOf,
} from '../../../experiment/injection/fault.ts';
import { chaosDuration } from '../../../experiment/injection/settings/common-tunables.ts';
import { patterned, text } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { HELPER_RULES } from '../../by-helper.ts';
import { orderMachine } from '../host/machine.ts';
import { KEY_SECRET, runBySsh } from './ssh.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(
    30,
    'How long the run lasts at least; the command is run once, at its beginning.',
  ),
  SSH_USER: patterned(
    { default: 'root', pattern: '[A-Za-z_][A-Za-z0-9_.-]{0,31}', form: 'the name of a user' },
    'Who logs in to the node.',
  ),
  TARGET_NODE_IP: patterned(
    { pattern: '[A-Za-z0-9][A-Za-z0-9.:-]{0,252}', form: 'an address or a host name' },
    "Where ssh of the node is reached; default: the node's InternalIP.",
  ),
  REBOOT_COMMAND: text(
    'What follows ssh user@address in a line of the shell of the helper: options of ssh, the command for the node, and what is to follow.',
    'sudo systemctl reboot; true',
  ),
} as const satisfies TunableSchema;

/** How long an embedded node that is restarted has no power. */
const EMBEDDED_BOOT_SECONDS = 5;

/** What inject needs; made by `plan`. */
interface Parameters {
  readonly isEmbedded: boolean;
  readonly user: string;
  readonly address: string;
  readonly command: string;
  readonly kind: CommandKind | null;
  /** Id of the previous boot; a different one means that the restart is done. */
  readonly bootId: string;
  readonly seconds: number;
}

/**
 * Restarts a node, or switches it off, by a command over ssh from another node.
 *
 * What is touched: the machine, and with it everything that runs there. How it is undone: not at all; a machine that was switched off
 * stays so until it is switched on. Nodes of an embedded cluster lose their processes and come back: after a restart in 5 s, after
 * being switched off when the duration is over. What remains if the helper dies: nothing but that.
 */
export const nodeRestart: Fault<typeof tunables> = {
  name: 'node-restart',
  summary: 'Restarts a node by ssh, or switches it off.',
  tunables,
  targets: 'node',
  shape: 'pulse',
  once: true,
  where: 'node',
  injectMessage: 'Injecting node-restart chaos on target node',
  permissions: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }, ...HELPER_RULES],
  helper: { elsewhere: true, secret: { name: KEY_SECRET, mountPath: '/mnt' } },
  observe,
  plan,
  inject,
  revert: async () => {},
  settle: async (injections, context) => {
    await Promise.all(injections.map((injection) => awaitEffect(injection, context)));
  },
};

export default nodeRestart;

async function observe({ name }: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const node = await client.get<Node>(NODES, name, { signal });
  const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  return { isEmbedded: isEmbeddedNode(node), address, bootId: bootIdOf(node) };
}

function plan({ tunables: settings, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map(({ observed = {}, ...target }) => {
    const isEmbedded = observed.isEmbedded === true;
    const command = settings.REBOOT_COMMAND;
    const kind = commandKind(command) ?? null;
    const address = settings.TARGET_NODE_IP === '' ? String(observed.address ?? '') : settings.TARGET_NODE_IP;
    // Its address leads to the user's own machine, which must not be restarted.
    if (isEmbedded && kind === null) {
      throw new InjectError(
        `cannot run ${JSON.stringify(command)} on node ${target.name}: a node of an embedded cluster can be restarted or switched ` +
          'off, and nothing else; use a REBOOT_COMMAND with reboot or poweroff',
        { target: `{nodeName: ${target.name}}` },
      );
    }
    if (!isEmbedded && address === '') {
      throw new InjectError(
        `cannot reach node ${target.name}: its status says no InternalIP; set TARGET_NODE_IP`,
        { target: `{nodeName: ${target.name}}` },
      );
    }
    const parameters: Parameters = {
      isEmbedded,
      command,
      kind,
      address,
      user: settings.SSH_USER,
      bootId: String(observed.bootId ?? ''),
      seconds: settings.TOTAL_CHAOS_DURATION,
    };
    return { id: target.name, target, parameters: { ...parameters } };
  });
}

async function inject(injection: Injection, { client, signal }: FaultContext): Promise<void> {
  const { name } = injection.target;
  const { isEmbedded, kind, bootId, seconds, ...order } = parametersOf<Parameters>(injection);
  const node = await client.get<Node>(NODES, name, { signal });
  if (bootIdOf(node) !== bootId) return;
  if (!isEmbedded) return runBySsh(order, { timeoutMs: Math.max(seconds, 30) * 1000, signal });
  await orderMachine(
    name,
    { mode: 'off', seconds: kind === 'off' ? seconds : EMBEDDED_BOOT_SECONDS },
    signal,
  );
}

/** A restarted node is ready after another boot; one that was switched off is not ready, or was and has booted since. */
async function awaitEffect(injection: Injection, context: FaultContext): Promise<void> {
  const { kind, bootId } = parametersOf<Parameters>(injection);
  if (kind === null) return;
  const { client, clock, signal, recoveryTimeoutMs: timeoutMs } = context;
  const { name } = injection.target;
  let seen: Node | undefined;
  const isThere = (node: Node | undefined): boolean => {
    seen = node;
    if (node === undefined) return true;
    const hasBooted = bootIdOf(node) !== bootId;
    return kind === 'off' ? hasBooted || !isReady(node) : hasBooted && isReady(node);
  };
  try {
    await waitForObject<Node>(client, NODES, name, isThere, { clock, signal, timeoutMs });
  } catch (cause) {
    if (!(cause instanceof WaitTimeoutError)) throw cause;
    const found =
      seen === undefined || bootIdOf(seen) === bootId
        ? 'it has not booted anew'
        : 'it has booted and is not ready';
    const wanted = kind === 'off' ? 'gone' : 'back';
    throw new StatusCheckError(
      `node ${name} is not ${wanted} ${timeoutMs / 1000} s after the command: ${found}; look at the machine and at REBOOT_COMMAND, or ` +
        'raise STATUS_CHECK_TIMEOUT',
      { cause, target: `{nodeName: ${name}}` },
    );
  }
}

function bootIdOf({ status }: Node): string {
  return status?.nodeInfo?.bootID ?? '';
}

function isReady({ status }: Node): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}

/** The effect of a command on a machine: starts it anew, or switches it off. */
type CommandKind = 'restart' | 'off';

const OFF = /\b(poweroff|halt)\b|\bshutdown\b(?!.*\s(-r|--reboot)\b)|\b(tel)?init\s+0\b/;
const RESTART = /\b(reboot|kexec)\b|\bshutdown\b.*\s(-r|--reboot)\b|\b(tel)?init\s+6\b/;

/** The effect of REBOOT_COMMAND, as far as it can be read; undefined for a command of the user's own. Pure. */
export function commandKind(command: string): CommandKind | undefined {
  if (OFF.test(command)) return 'off';
  return RESTART.test(command) ? 'restart' : undefined;
}
