import { spawnSync } from 'node:child_process';
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import { readNamespaceSettings } from '@turnsole/cluster/rootless/namespace-settings';
import { settingAgainst } from '@turnsole/cluster/rootless/why-not';
import { findProgram } from '@turnsole/kube/base/machine';
import { messageOf } from '@turnsole/kube/text/error-message';
import { TOOL_PACKAGES } from '../../chaos/machine-lacks.ts';
import { obstacleTo, ownLacks } from '../../experiment/node/obstacle.ts';
import { faultRegistry } from '../../faults/index.ts';
import { complain } from '../../process/complain.ts';
import { EXIT } from '../../process/exit-codes.ts';
import {
  type ClusterOptions,
  meansExisting,
  onExisting,
  openCluster,
} from '../../runs/session/open-cluster.ts';
import { clusterFacts } from '../../services/doctor/cluster-facts.ts';
import {
  diagnoseCluster,
  diagnoseMachine,
  type Finding,
  type MachineFacts,
} from '../../services/doctor/diagnose.ts';
import { type Style, styleFor } from '../print/style.ts';

/** Options of `turnsole doctor`, as the command line gives them. */
export interface DoctorOptions extends ClusterOptions {
  readonly output: 'text' | 'json';
}

/** Says what will and will not work, on this machine or on a cluster. Exit code 3 where nothing would run. */
export async function run(options: DoctorOptions): Promise<number> {
  const signal = new AbortController().signal;
  const findings = meansExisting(options)
    ? diagnoseCluster(
        await onExisting(options, ({ client, namespace }) => clusterFacts(client, namespace, signal)),
      )
    : diagnoseMachine(await machineFacts(signal));
  if (options.output === 'json') console.log(JSON.stringify({ findings }, null, 2));
  else for (const line of formatFindings(findings, styleFor(process.stdout))) console.log(line);
  return findings.some(({ state }) => state === 'broken') ? EXIT.couldNotRun : EXIT.pass;
}

const MIB = 1024 ** 2;

async function machineFacts(signal: AbortSignal): Promise<MachineFacts> {
  // Before the cluster is started, which is work of its own.
  const [load = 0] = loadavg();
  const path = process.env['PATH'] ?? '';
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  const refused = isLinux && !isRoot ? namespacesRefused() : {};
  // Runs that need isolated pods get them where this user may make namespaces.
  const isIsolated = isLinux && !isRoot && refused.namespacesRefused === undefined;
  const { cluster, lacks } = await started(isIsolated ? 'full' : 'auto', signal);
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  return {
    platform: process.platform,
    node: process.versions.node,
    isRoot,
    cluster,
    ...refused,
    // In a network of its own, so that nothing of the machine is touched.
    ...(isLinux &&
      isRoot && {
        netem: works(['unshare', '-n', 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']),
      }),
    missingTools: lacks.tools.map((tool) => ({ tool, package: TOOL_PACKAGES[tool] })),
    impossibleFaults: faults.flatMap((fault) => {
      const why = obstacleTo(fault, lacks, 'embedded');
      return why === undefined
        ? []
        : [{ name: fault.name, why: why.replace(`cannot inject ${fault.name}: `, '') }];
    }),
    hasKubectl: findProgram('kubectl', path) !== undefined,
    memory: { freeMiB: Math.round(freemem() / MIB), totalMiB: Math.round(totalmem() / MIB) },
    load,
    processors: availableParallelism(),
  };
}

/** Starts an embedded cluster for what it says of the machine. */
async function started(
  isolation: 'auto' | 'full',
  signal: AbortSignal,
): Promise<{ readonly cluster: MachineFacts['cluster']; readonly lacks: ReturnType<typeof ownLacks> }> {
  const startedAt = performance.now();
  try {
    const session = await openCluster(
      { isolation, withOperator: false, withWorkflows: false, warn: complain },
      signal,
    );
    const startMs = Math.round(performance.now() - startedAt);
    const { embedded } = session;
    await session.close({ graceMs: 0 });
    if (embedded === undefined) throw new Error('an embedded cluster was asked for');
    return { cluster: { startMs, capabilities: embedded.capabilities }, lacks: embedded.lacks };
  } catch (error) {
    return { cluster: { problem: messageOf(error) }, lacks: ownLacks() };
  }
}

/** Whether a command ends well; one that is missing does not. */
function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** By trying it once more by itself: what the cluster said has more reasons than this one. */
function namespacesRefused(): Pick<MachineFacts, 'namespacesRefused'> {
  if (works(['unshare', '-Urn', 'ip', 'link', 'set', 'lo', 'up'])) return {};
  return { namespacesRefused: settingAgainst(readNamespaceSettings()) ?? { why: 'unshare is refused' } };
}

const MARKS = { works: ['ok', 'green'], limited: ['limited', 'yellow'], broken: ['BROKEN', 'red'] } as const;

function formatFindings(findings: readonly Finding[], style: Style): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings.flatMap(({ name, state, found, help }) => {
    const [mark, colour] = MARKS[state];
    return [
      `${style(colour, mark.padEnd(7))}  ${name.padEnd(width)}  ${found}`,
      ...(help === undefined ? [] : [`${' '.repeat(9 + width)}  → ${help}`]),
    ];
  });
}
