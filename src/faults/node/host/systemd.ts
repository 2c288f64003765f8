import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { unless } from '@turnsole/kube/client/errors';
import type { CommandOptions, CommandResult } from '../../../experiment/node/command.ts';
import { parseStat } from '../../../experiment/node/container-locator.ts';
import { runInside } from '../../../experiment/node/enter.ts';
import { NodeCommandError, NodeError } from '../../../experiment/node/node-error.ts';
import type { HostServices, StoppedService } from './services.ts';
import { parseUnitStates, type UnitState, unitsToStop } from './units.ts';

/** A service may take as long to end as systemd lets it by default, and a little more. */
const STOP_LIMIT_MS = 100_000;

/**
 * Services of a host with systemd. Before it stops them it makes a transient timer there (systemd-run) that starts them again;
 * restarting the timer puts that off, and starting its service brings it forward. A reboot removes everything transient, and starts
 * the enabled services.
 */
export function systemdServices(run: typeof runOnHost = runOnHost): HostServices {
  const states = async (units: readonly string[], signal: AbortSignal): Promise<UnitState[]> => {
    const command = ['systemctl', 'show', '--property=Id,LoadState,ActiveState', ...units];
    return parseUnitStates((await run(command, { signal })).stdout);
  };
  const isArmed = async (service: StoppedService, signal: AbortSignal): Promise<boolean> => {
    const [timer] = await states([`${nameOf(service)}.timer`], signal);
    return timer?.load === 'loaded';
  };
  return {
    async stop(service, signal) {
      if (await inspect(() => isArmed(service, signal))) return;
      const units = unitsToStop(service.units, await inspect(() => states(service.units, signal)));
      if (typeof units === 'string')
        throw new NodeError(`cannot stop ${service.service} on node ${service.node}: ${units}`);
      await run(armCommand(service, units), { signal });
      await run(['systemctl', 'stop', ...units], { signal, timeoutMs: STOP_LIMIT_MS });
    },
    async renew(service, signal) {
      await run(['systemctl', 'restart', `${nameOf(service)}.timer`], { signal });
    },
    async start(service, signal) {
      // On a host without systemd nothing can have been stopped.
      const asked = states([...service.units.slice(-1), `${nameOf(service)}.timer`], signal);
      const found = await unless((error) => error instanceof NodeCommandError, asked);
      if (found === undefined) return;
      const timer = found.find(({ id }) => id.endsWith('.timer'));
      if (timer?.load === 'loaded') {
        await run(['systemctl', 'start', `${nameOf(service)}.service`], { signal, timeoutMs: STOP_LIMIT_MS });
        await run(['systemctl', 'stop', `${nameOf(service)}.timer`], { signal });
      }
      // The timer may have fired, and what it started may have failed.
      const main = found.find(({ id }) => id === service.units.at(-1));
      if (main?.load === 'loaded') {
        await run(['systemctl', 'start', main.id], { signal, timeoutMs: STOP_LIMIT_MS });
      }
    },
  };
}

/** Name of the transient timer and its service. Pure. */
export function nameOf({ id }: Pick<StoppedService, 'id'>): string {
  return `turnsole-${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** Makes the timer that starts these units again. Pure. */
export function armCommand(service: StoppedService, units: readonly string[]): string[] {
  return [
    'systemd-run',
    '--quiet',
    `--unit=${nameOf(service)}`,
    `--description=Turnsole: starts ${units.join(' ')} again`,
    `--on-active=${service.reviveSeconds}s`,
    '--timer-property=AccuracySec=100ms',
    '--property=Type=oneshot',
    // Units are listed in the order of stopping, so the reverse starts what must run first.
    ...['systemctl', 'start', ...[...units].reverse()],
  ];
}

async function inspect<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (cause) {
    if (!(cause instanceof NodeCommandError)) throw cause;
    throw new NodeError(
      `cannot stop services on this node: it is not run by systemd, the only manager of services that is known (${cause.message})`,
      { cause },
    );
  }
}

/**
 * Runs a program of the host among the host's files, by way of its process 1, which takes a privileged pod with hostPID.
 *
 * @throws CapabilityError, MissingToolError before anything is done · NodeCommandError as runCommand · NodeError without hostPID, or
 *   where process 1 may not be entered
 */
async function runOnHost(
  command: readonly string[],
  options: Omit<CommandOptions, 'descriptors'> = {},
): Promise<CommandResult> {
  const stat = parseStat(await readFile('/proc/1/stat', 'utf8'));
  if (stat === undefined) throw new NodeError('cannot see process 1 of the host; the helper needs hostPID');
  return runInside({ pid: 1, startTicks: stat.startTicks }, { ...options, namespaces: ['mnt'] }, command);
}
