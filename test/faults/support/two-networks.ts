import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A pod's network and one outside of it, joined by a wire; both go when the scope ends. */
export interface TwoNetworks extends AsyncDisposable {
  /** As in the status of a pod. */
  readonly containerId: string;
  readonly podUid: string;
  readonly pod: NetworkEnd;
  readonly outside: NetworkEnd;
}

/** One end of the wire. Its interface is `eth0`. */
export interface NetworkEnd {
  readonly pid: number;
  /** The outside has a second address of each family, for destinations that are left alone. */
  readonly addresses: {
    readonly v4: string;
    readonly v6: string;
    readonly other4: string;
    readonly other6: string;
  };
  /** Starts a Node program in this network; it reads its arguments from process.argv[1]… */
  start(script: string, args?: readonly string[]): NetworkProgram;
  /** Runs a command in this network to its end, with this input; gives what it wrote. */
  run(command: readonly string[], input?: string): Promise<string>;
}

/** A program in one of the networks. */
export interface NetworkProgram {
  readonly child: ChildProcess;
  /** The next line it writes; rejects when it ends before. */
  line(): Promise<string>;
  stop(): void;
}

const POD = { v4: '10.99.0.2', v6: 'fd99::2', other4: '10.99.0.12', other6: 'fd99::12' } as const;
const MAC = { pod: '02:00:00:00:00:02', outside: '02:00:00:00:00:01' } as const;
const OUTSIDE = { v4: '10.99.0.1', v6: 'fd99::1', other4: '10.99.0.11', other6: 'fd99::11' } as const;

/** Why networks cannot be made here; undefined where they can. */
export function noNetworks(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux';
  return process.getuid?.() === 0 ? false : 'making network namespaces takes root';
}

/** Makes both networks. @param resolvConf of the pod; that of this machine when left out */
export async function twoNetworks(resolvConf = ''): Promise<TwoNetworks> {
  const podUid = randomUUID();
  const containerId = randomUUID().replaceAll('-', '');
  const outside = await holder({});
  const pod = await holder({
    TURNSOLE_POD_UID: podUid,
    TURNSOLE_CONTAINER_ID: containerId,
    RESOLV_CONF: resolvConf,
  });
  const running = new Set<ChildProcess>();
  const ends = { pod: end(pod, POD, running), outside: end(outside, OUTSIDE, running) };
  const link = `link add eth0 address ${MAC.pod} type veth peer name eth0 address ${MAC.outside} netns ${outside.pid}`;
  await ends.pod.run(['ip', ...link.split(' ')]);
  await configure(ends.pod, ends.outside.addresses, MAC.outside);
  await configure(ends.outside, ends.pod.addresses, MAC.pod);
  return {
    podUid,
    containerId: `turnsole://${containerId}`,
    ...ends,
    [Symbol.asyncDispose]: async () => {
      for (const child of running) child.kill('SIGKILL');
      const gone = [pod, outside].map(({ child }) => once(child, 'exit'));
      pod.child.stdin?.end();
      outside.child.stdin?.end();
      await Promise.all(gone);
    },
  };
}

/** Gives one end its addresses, and those of the other, so that no packet has to wait until they are found out. */
async function configure(one: NetworkEnd, others: NetworkEnd['addresses'], mac: string): Promise<void> {
  const { v4, v6, other4, other6 } = one.addresses;
  const lines = [
    'link set lo up',
    `addr add ${v4}/24 dev eth0`,
    `addr add ${other4}/24 dev eth0`,
    `addr add ${v6}/64 dev eth0 nodad`,
    // Never chosen as a source.
    `addr add ${other6}/64 dev eth0 nodad preferred_lft 0`,
    'link set eth0 up',
    ...Object.values(others).map((address) => `neigh add ${address} lladdr ${mac} dev eth0 nud permanent`),
  ];
  // One process for all: each takes long to start where a machine is emulated.
  await one.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
}

/** Bytes and datagrams that have come in at one end, by the kernel's own counters. */
export function received(end: NetworkEnd): {
  readonly bytes: number;
  readonly datagrams4: number;
  readonly datagrams6: number;
} {
  const read = (name: string): string => readFileSync(`/proc/${end.pid}/net/${name}`, 'utf8');
  const bytes = Number(/^\s*eth0:\s*(\d+)/m.exec(read('dev'))?.[1]);
  const [names = '', values = ''] = read('snmp')
    .split('\n')
    .filter((line) => line.startsWith('Udp:'));
  const udp4 = new Map(names.split(' ').map((name, index) => [name, Number(values.split(' ')[index])]));
  const udp6 = (name: string): number =>
    Number(new RegExp(`^Udp6${name}\\s+(\\d+)`, 'm').exec(read('snmp6'))?.[1] ?? 0);
  return {
    bytes,
    datagrams4: (udp4.get('NoPorts') ?? 0) + (udp4.get('InDatagrams') ?? 0),
    datagrams6: udp6('NoPorts') + udp6('InDatagrams'),
  };
}

/** Shows RESOLV_CONF to what it becomes, and to nobody else, as /etc/resolv.conf. */
const HOLD = `
if [ -n "$RESOLV_CONF" ]; then
  mount -t tmpfs none /mnt && echo "$RESOLV_CONF" > /mnt/resolv.conf && mount --bind /mnt/resolv.conf /etc/resolv.conf || exit 1
fi
echo ready
exec cat`;

/** A process that keeps a network namespace until its input ends. */
async function holder(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly pid: number; readonly child: ChildProcess }> {
  const namespaces = env.RESOLV_CONF ? ['--net', '--mount'] : ['--net'];
  const child = spawn('unshare', [...namespaces, 'sh', '-c', HOLD], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  });
  await once(createInterface({ input: child.stdout }), 'line');
  if (child.pid === undefined) throw new Error('unshare cannot be run');
  child.stdout.resume();
  return { pid: child.pid, child };
}

function end(
  { pid }: { readonly pid: number },
  addresses: NetworkEnd['addresses'],
  running: Set<ChildProcess>,
): NetworkEnd {
  const start = (command: readonly string[]): NetworkProgram => {
    const child = spawn('nsenter', ['-t', String(pid), '-n', '--', ...command], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      child,
      line: async () => {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`${command.join(' ')} has ended`);
        return value;
      },
      stop: () => child.kill('SIGKILL'),
    };
  };
  return {
    pid,
    addresses,
    start: (script, args = []) =>
      start([process.execPath, '--input-type=module', '-e', script, '--', ...args]),
    run: async (command, input) => {
      const { child } = start(command);
      if (input !== undefined) child.stdin?.end(input);
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) throw new Error(`${command.join(' ')} ended with code ${code}`);
      return text;
    },
  };
}
