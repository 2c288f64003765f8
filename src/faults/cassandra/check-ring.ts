import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import type { InjectionTarget } from '../../api/index.ts';
import { askUntil } from '../../experiment/injection/ask-until.ts';
import { StatusCheckError } from '../../experiment/injection/errors.ts';
import type { FaultContext, HealthInput } from '../../experiment/injection/fault.ts';

/** Container of Cassandra, as upstream expects it. */
const CONTAINER = 'cassandra';
const COMMAND = ['nodetool', 'status'];

/**
 * Resolves when the first pod sees a ring in which every pod is up and owns something.
 *
 * @throws StatusCheckError with what is missing when the ring is not whole in time
 */
export async function checkRing({ pods }: HealthInput, context: FaultContext): Promise<string> {
  const { clock, signal, recoveryTimeoutMs } = context;
  let problem = '';
  const whole = await askUntil({
    clock,
    signal,
    timeoutMs: recoveryTimeoutMs,
    ask: async () => {
      const members = await pods();
      const [first] = members;
      const found = first === undefined ? 'there is no pod' : await look(first, members.length, context);
      if (found === undefined) return `the ring has ${members.length} nodes, all of them up`;
      problem = found;
      return undefined;
    },
  });
  if (whole !== undefined) return whole;
  throw new StatusCheckError(
    `the Cassandra ring is not whole after ${recoveryTimeoutMs / 1000} s: ${problem}; repair it, or raise STATUS_CHECK_TIMEOUT`,
  );
}

async function look(
  { namespace = '', name }: InjectionTarget,
  wanted: number,
  { client, signal }: FaultContext,
): Promise<string | undefined> {
  try {
    const place = { namespace, name, container: CONTAINER };
    const { exitCode, stdout, stderr } = await client.exec({ ...place, command: COMMAND, signal });
    if (exitCode === 0) return ringProblem(parseRing(stdout), wanted);
    const said = stderr.trim().split('\n').at(-1) ?? '';
    return `nodetool status in pod ${namespace}/${name} ended with exit code ${exitCode}: ${said}`;
  } catch (error) {
    signal.throwIfAborted();
    // A pod may be deleted while it is asked, which passes; a missing permission does not.
    const mayPass = error instanceof ConnectionError || (error instanceof ApiError && error.code !== 403);
    if (!mayPass) throw error;
    return `nodetool status cannot be run in container ${CONTAINER} of pod ${namespace}/${name}: ${error.message}`;
  }
}

/** The ring of a Cassandra cluster as `nodetool status` prints it. All pure. */

/** One node of the ring. */
interface RingNode {
  readonly address: string;
  /** Whether it answers its peers. */
  readonly up: boolean;
  /** `N` normal, `L` leaving, `J` joining, `M` moving. */
  readonly state: string;
  /** Share of the data: `33.3%`, or `?` where keyspaces differ in their replication. */
  readonly owns: string;
}

const STATES: Readonly<Record<string, string>> = { L: 'leaving', J: 'joining', M: 'moving' };

/** The nodes in the rows of a status; headings and notes are left out. */
export function parseRing(text: string): RingNode[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([UD])([NLJM])\s+(\S+)\s+(.*)$/.exec(line.trim());
    const [, status, state = '', address = '', rest = ''] = match ?? [];
    if (match === null) return [];
    const owns = rest.split(/\s+/).find((word) => /^[\d.]+%$/.test(word) || word === '?') ?? '';
    return [{ address, up: status === 'U', state, owns }];
  });
}

/** What keeps the ring from being whole with this many nodes, or undefined. */
export function ringProblem(ring: readonly RingNode[], wanted: number): string | undefined {
  const down = ring.find(({ up }) => !up);
  if (down !== undefined) return `${down.address} is down`;
  const busy = ring.find(({ state }) => state !== 'N');
  if (busy !== undefined) return `${busy.address} is ${STATES[busy.state] ?? busy.state}`;
  const empty = ring.find(({ owns }) => owns === '' || Number.parseFloat(owns) === 0);
  if (empty !== undefined) return `${empty.address} owns nothing`;
  return ring.length < wanted ? `it has ${ring.length} of ${wanted} nodes` : undefined;
}
