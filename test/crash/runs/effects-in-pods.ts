/** What chaos has in force in pods and on the machine: queues, rules, proxies, files. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Pod } from '@turnsole/kube/kinds/core';
import { type Effect, effectIn, LOAD_VARIABLE } from './effect.ts';
import { APP_WORD } from './images.ts';
import type { SeenProcess } from './processes.ts';

const run = promisify(execFile);
/** In the environment of the process that keeps a pod's namespaces, and of these looks themselves. */
const POD_VARIABLE = 'TURNSOLE_POD_UID';
const LOOK_VARIABLE = 'CRASH_LOOK';
/** Tables of faults; those of the cluster's own network are not named so. */
const OWN_TABLE = /table \S+ turnsole_[0-9a-f]{16}\S*/g;
/** By which the cluster enforces NetworkPolicies, and a rule of it that only pods have which a policy selects. */
const POLICY_TABLE = 'table inet turnsole-policy';
const POLICY_DROP = /^\s*drop$/m;
/** Any queue that somebody has put at a device; the kernel's own have the handle 0. */
const QUEUE = /^qdisc \S+ [1-9a-f][0-9a-f]*: .*$/gm;
/** Programs that come and go when pods start, are probed and are looked at. */
const PASSING = /(^|\/)(nsenter|unshare|setpriv|tc|nft|ip|mount|sh|dash|mkdir|ln|cat|true)$/;

/** Queues, rules, proxies and files of pods with namespaces of their own. */
export async function ofPods(
  apps: readonly Pod[],
  processes: readonly SeenProcess[],
  strict: boolean,
): Promise<Effect[]> {
  const found = await Promise.all(
    apps.map(async (pod) => {
      const uid = pod.metadata.uid ?? '';
      const own = processes.filter(
        ({ variable, cgroup }) => variable(POD_VARIABLE) === uid || cgroup.includes(uid),
      );
      // The one that keeps the namespaces goes when the node agent is killed, and the containers go on.
      const [first] = own;
      if (first === undefined) return [];
      const inside = processes
        .filter((one) => own.includes(one) || one.network === first.network)
        .filter(({ variable }) => variable(POD_VARIABLE) !== uid);
      return [
        ...(await ofNetwork(first.pid)),
        ...inside.flatMap((process_) => ofProcess(process_, strict)),
        ...ofFiles(inside),
      ].map((what) => effectIn(pod, what));
    }),
  );
  return found.flat();
}

async function ofNetwork(pid: number): Promise<string[]> {
  const script = `tc qdisc show; nft list tables; nft list ${POLICY_TABLE} 2> /dev/null; iptables-save 2> /dev/null; ip6tables-save 2> /dev/null; true`;
  const words = ['-t', String(pid), '-n', 'sh', '-c', script];
  const env = { PATH: process.env.PATH ?? '', [LOOK_VARIABLE]: '1' };
  // The pod may have ended meanwhile, and its namespace with it.
  const { stdout } = await run('nsenter', words, { env }).catch(() => ({ stdout: '' }));
  const rules = stdout.match(/^-A .*$/gm) ?? [];
  const tables = (stdout.match(/^table .*[^{]$/gm) ?? []).filter(
    (name) => name !== POLICY_TABLE || POLICY_DROP.test(stdout),
  );
  return [...(stdout.match(QUEUE) ?? []), ...tables, ...rules];
}

function ofProcess({ pid, words, variable }: SeenProcess, strict: boolean): string[] {
  const line = words.join(' ');
  const what = `process ${pid} (${line.slice(0, 80)})`;
  if (line.includes('interceptor')) return [what];
  if (!strict || line.includes(APP_WORD) || variable(LOOK_VARIABLE) !== undefined) return [];
  return PASSING.test(words[0] ?? '') && variable(LOAD_VARIABLE) === undefined ? [] : [what];
}

/** Files of disk-fill and fio at the root of the application's container. */
function ofFiles(inside: readonly SeenProcess[]): string[] {
  const app = inside.find(
    ({ words }) => words.join(' ').includes(APP_WORD) && (words[0] ?? '').endsWith('node'),
  );
  if (app === undefined) return [];
  try {
    const names = ['/', '/tmp/'].flatMap((folder) => readdirSync(`/proc/${app.pid}/root${folder}`));
    return names.filter((name) => /diskfill|fio|stress/.test(name)).map((name) => `file ${name}`);
  } catch {
    return [];
  }
}

/** What is on the machine itself, where no fault of these tests has anything to do. */
export async function ofHost(): Promise<Effect[]> {
  const script = 'nft list tables; tc qdisc show';
  const { stdout } = await run('sh', ['-c', script]);
  const found = [
    ...(stdout.match(OWN_TABLE) ?? []),
    ...(stdout.match(/^qdisc \S+ 7[0-9a-e]..: .*$/gm) ?? []),
  ];
  return found.map((what) => ({ what: `${what} on the machine`, of: undefined, node: undefined }));
}
