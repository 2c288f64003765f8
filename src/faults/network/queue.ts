import { InjectError } from '../../experiment/injection/errors.ts';
import { runCommand } from '../../experiment/node/command.ts';
import { runInside } from '../../experiment/node/enter.ts';
import { assertOwnNetwork, type TargetNetwork } from './pod-network.ts';
import { parseQueueCounts, type QueueCount } from './queue-count.ts';
import { isOwnHandle, type TcPlanInput, tcPlan } from './tc-plan.ts';

/** Kinds of queues the network faults may need. */
type QueueKind = 'netem' | 'tbf' | 'prio' | 'htb' | 'blackhole';

/** Arguments that are enough to make one. */
const TRIALS: Readonly<Record<QueueKind, readonly string[]>> = {
  netem: ['netem', 'delay', '1ms'],
  tbf: ['tbf', 'rate', '1mbit', 'burst', '32kb', 'limit', '32kb'],
  prio: ['prio'],
  htb: ['htb'],
  blackhole: ['blackhole'],
};

/** What this node's kernel can do, remembered for the life of this process: a kernel does not forget. */
const answers = new Map<QueueKind, Promise<boolean>>();

/**
 * Whether the kernel can make such a queue, found out by making one in a temporary network namespace of its own.
 * The kernel loads an existing module by itself.
 *
 * @throws CommandError when it cannot be found out
 */
export function kernelHasQueue(kind: QueueKind, signal?: AbortSignal): Promise<boolean> {
  const known = answers.get(kind);
  if (known !== undefined) return known;
  const answer = tryQueue(kind, signal);
  answers.set(kind, answer);
  answer.catch(() => answers.delete(kind));
  return answer;
}

async function tryQueue(kind: QueueKind, signal: AbortSignal | undefined): Promise<boolean> {
  const { exitCode } = await runCommand(
    ['unshare', '--net', 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', ...TRIALS[kind]],
    // 1: the command is wrong or not known; 2: the kernel said no.
    { accept: [0, 1, 2], signal },
  );
  return exitCode === 0;
}

/**
 * Puts a queue at the root of an interface of a pod, or finds that it is there.
 *
 * @throws InjectError when the interface does not exist or has another program's root queue; nothing was changed then
 */
export async function addQueue(
  network: TargetNetwork,
  plan: Omit<TcPlanInput, 'splitter'>,
  pod: string,
  signal: AbortSignal,
): Promise<void> {
  const { device, handle } = plan;
  await assertOwnNetwork(network, pod);
  const root = await rootQueue(network, device, pod);
  // An inject that was interrupted may have left a part of it.
  if (root?.handle === handle) await removeQueue(network, device, handle, signal);
  else if (root !== undefined) throw occupied(root, device, pod);
  const splitter = (await kernelHasQueue('prio', signal)) ? 'prio' : 'htb';
  const lines = tcPlan({ ...plan, splitter });
  try {
    await tc(network, ['-batch', '-'], { input: `${lines.join('\n')}\n`, signal });
  } catch (error) {
    // Half of it may be there.
    await removeQueue(network, device, handle, new AbortController().signal);
    throw error;
  }
}

/** Removes what {@link addQueue} has added, and nothing else; idempotent. */
export async function removeQueue(
  network: TargetNetwork,
  device: string,
  handle: string,
  signal: AbortSignal,
): Promise<void> {
  const root = parseRoot((await show(network, device)).stdout);
  if (root?.handle !== handle) return;
  await tc(network, ['qdisc', 'del', 'dev', device, 'root', 'handle', handle], { signal });
}

/** The counts of an interface's queues; none when they cannot be read. */
export async function queueCounts(network: TargetNetwork, device: string): Promise<readonly QueueCount[]> {
  const { stdout } = await tc(network, ['-s', 'qdisc', 'show', 'dev', device], { accept: [0, 1, 2] });
  return parseQueueCounts(stdout);
}

/** A root queue that another program has put there. */
interface RootQueue {
  readonly kind: string;
  readonly handle: string;
}

/** Reads the root queue out of `tc qdisc show`; undefined for those the kernel puts there by itself (handle 0:). Pure. */
export function parseRoot(text: string): RootQueue | undefined {
  const match = /^qdisc (\S+) ([0-9a-f]+:) root\b/m.exec(text);
  const [, kind = '', handle = ''] = match ?? [];
  return match === null || handle === '0:' ? undefined : { kind, handle };
}

async function rootQueue(
  network: TargetNetwork,
  device: string,
  pod: string,
): Promise<RootQueue | undefined> {
  const { exitCode, stdout } = await show(network, device);
  if (exitCode === 0) return parseRoot(stdout);
  const { stdout: all } = await tc(network, ['qdisc', 'show'], {});
  const devices = [...new Set([...all.matchAll(/ dev (\S+)/g)].map(([, name]) => name))];
  throw new InjectError(
    `${pod} has no interface ${device}; it has ${devices.join(', ') || 'none'}: set NETWORK_INTERFACE to one of them`,
  );
}

function occupied({ kind, handle }: RootQueue, device: string, pod: string): InjectError {
  return new InjectError(
    isOwnHandle(handle)
      ? `${device} of ${pod} is under another network fault already (queue ${handle}); run them one after another`
      : `${device} of ${pod} has a queue ${kind} ${handle} that does not belong to this run and would be lost; remove it ` +
          `(tc qdisc del dev ${device} root) or choose another NETWORK_INTERFACE`,
  );
}

function show(network: TargetNetwork, device: string) {
  return tc(network, ['qdisc', 'show', 'dev', device], { accept: [0, 1, 2] });
}

function tc(
  { process }: TargetNetwork,
  args: readonly string[],
  options: { readonly input?: string; readonly signal?: AbortSignal; readonly accept?: readonly number[] },
) {
  return runInside(process, { namespaces: ['net'], ...options }, ['tc', ...args]);
}
