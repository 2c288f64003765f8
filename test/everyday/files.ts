import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CLUSTER_FILES } from '../cluster/parts.ts';
import { inProcessFiles, pureFiles, serverFiles } from './pure-files.ts';
import { userFiles } from './user-files.ts';

/** Files whose tests need much the same modules, by the folders that they are in. */
const GROUPS = {
  components: /^src\/(?:components|engines|services)\//,
  apiserver: /^packages\/cluster\/src\/(?:apiserver|store)\//,
  controllers: /^packages\/cluster\/src\//,
  kube: /^(?:packages|src|test\/kube)\//,
} as const;

type Group = keyof typeof GROUPS | 'agents' | 'controlplane' | 'repositories';

/** Tests of agents and commands that talk to a server. */
const OF_AGENTS = /^src\/(?!controlplane\/)/;
/** Tests of the control plane that wait for `git` most of their time, which others need not wait for. */
const OF_REPOSITORIES = /^src\/controlplane\/(?:gitops|hub|remote)\//;

/**
 * What comes out the same whoever runs it, although it starts a cluster, the command or a database, which look at the user: it only wants
 * one to ask, and no pod of it does more than to run. Of the control plane's tests those count that start its database or all of it.
 * Tests that start their commands as an ordinary user when root runs them count as well: root's run has shown what this user sees.
 */
const SAME_FOR_ALL = new RegExp(
  `^(?:${[
    'src/cli/(?:connect|helm|hub|kubectl|remote)/',
    'src/cli/(?:as-code/as-code|faults/(?:faults|scaffold)|program)\\.',
    'src/runs/',
    'src/components/',
    'src/controlplane/(?!store/|server/run-server)',
    'src/experiment/(?:injection/|plan/access-asker\\.|run/)',
    'src/experiment/helper/(?:late-helper|one-helper|run-helper)\\.',
    'src/faults/(?:bare-metal|intercept|load|network|node/(?:host|node-faults|service)|pod)[/.]',
    'src/faults/(?:limits|needs|stress/stress-faults)\\.',
    'packages/cluster/src/(?:cluster/chaos-kinds|node/(?:simulated|streaming/parts))[/.]',
    'src/services/(?!write-whole)',
    'test/(?:agreement|charts|cluster|conformance|everyday|kube|reference|support|web|workflow)/',
    'test/clients/(?:client-node|kubectl-(?:apply|certificates|charts|cluster|workloads)|python)\\.',
    'test/crash/(?:flapping-api-server|server|tracker|workflows)[/.]',
    'test/e2e/(?:artifact-gc|charts|connect|connect-stopped|event-tracker|fault-accounts|hub|install)\\.',
    'test/e2e/(?:kubectl|litmus-workflows|node-options|older-fields|older-node|own-packages|package|plan-elsewhere|printed-commands)\\.',
    'test/e2e/(?:refused-early|rerun|run-refusals|same-refusals|schedule-run|timeline|traces|test-runners|unprivileged|up-port|verdicts|workflow)\\.',
    'test/faults/(?:databases|k6-loadgen|redfish)\\.',
    'test/probes/(?:chain|matrix)\\.',
  ].join('|')})`,
);

/**
 * What takes minutes of the processors by its nature, and seldom notices what the others do not: effects of faults on real processes, programs
 * that are killed at each step, comparisons with what real clusters answered, real clients of Kubernetes, whole installations, agents of a
 * server, repositories that are cloned and pushed to, and every state of single views of the page, whose pages the others open. They are for
 * what is about to be released, and a share of them for what is about to land.
 */
const LONG = new RegExp(
  `^(?:${[
    'test/(?:faults|crash|conformance|clients|watch|windows)/',
    'test/e2e/(?:account-gone|autoscaling|capabilities|connect|cookbook|fault-accounts|first-verdict|install|killed|kubectl)\\.',
    'test/e2e/(?:litmus-workflows|older-fields|older-node|own-packages|package|plan-elsewhere|printed-commands|rootless|rootless-images)\\.',
    'test/e2e/(?:same-refusals|schedule-run|start-reasons|surroundings|test-runners|traces|unprivileged|workflow-outcomes)\\.',
    'test/probes/(?:chain|matrix)\\.',
    'test/web/(?:agent-states|compare|experiment-page|exported-timeline|first-view|first-view-cost|following|habits|hostile-names|live)\\.',
    'test/web/(?:long-list|metrics-states|run-page|ui|walk|whole-way)\\.',
    'src/cli/faults/scaffold\\.',
    'packages/cluster/src/(?:container-images|horizontal-pod-autoscaler|network-policies|usage-metrics)\\.',
    'src/services/install/agent/manifest\\.api\\.',
  ].join('|')})`,
);
/** Groups that are long as a whole. */
const LONG_GROUPS: readonly Group[] = ['repositories'];

/** The files of the everyday suite, by how they are run. */
interface TestFiles {
  /** Together in one process. */
  readonly pure: readonly string[];
  /** Together in one process for each group, beside the others. */
  readonly shared: Readonly<Record<Group, readonly string[]>>;
  /** Each in a process of its own, several at a time. */
  readonly apart: readonly string[];
  /** Nothing else meanwhile. */
  readonly alone: readonly string[];
  /** As the others of their kind, where all is asked for. */
  readonly long: {
    readonly groups: readonly Group[];
    readonly apart: readonly string[];
    readonly alone: readonly string[];
  };
}

/** Those that run whole commands and watch faults: they wait most of their time. The first that fits is a file's kind. */
const WAITING = ['test/faults/', 'test/crash/', 'test/clients/', 'test/e2e/', 'test/web/', 'test/'];
/** The part of all in which they begin: one takes a fifth of the time of all, and none is to be left over at the end. */
const BEGUN = 0.6;

/** The files there are, but for those that only a cluster can run. */
export function everydayFiles(): TestFiles {
  const patterns = ['packages/**/*.test.ts', 'src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'];
  const files = globSync(patterns, { exclude: CLUSTER_FILES }).toSorted();
  const pure = pureFiles(files);
  const others = files.filter((file) => !pure.includes(file));
  const servers = serverFiles(others.filter((file) => !LONG.test(file)));
  const isServer = new Set(servers);
  const shared = {
    ...inGroups(inProcessFiles(others.filter((file) => !isServer.has(file)))),
    agents: servers.filter((file) => OF_AGENTS.test(file)),
    controlplane: servers.filter((file) => !OF_AGENTS.test(file) && !OF_REPOSITORIES.test(file)),
    repositories: servers.filter((file) => OF_REPOSITORIES.test(file)),
  };
  const isShared = new Set(Object.values(shared).flat());
  const [apart, longApart] = parted(others.filter((file) => !isShared.has(file)));
  const [alone, longAlone] = parted(globSync('test/**/*.alone.ts').toSorted());
  return { pure, shared, apart, alone, long: { groups: LONG_GROUPS, apart: longApart, alone: longAlone } };
}

/** The short ones and the long ones. */
function parted(files: readonly string[]): [short: string[], long: string[]] {
  return [files.filter((file) => !LONG.test(file)), files.filter((file) => LONG.test(file))];
}

/**
 * Files in the order in which they are to begin. Those that run whole commands wait most of their time, those of `src` compute: each kind
 * comes evenly among the others, so that at any time some fill the pauses of others, and that not all faults are measured at once. Pure.
 */
export function inTurn(files: readonly string[]): string[] {
  const kinds = Object.groupBy(files, (file) => WAITING.findIndex((folder) => file.startsWith(folder)));
  const turns = Object.entries(kinds).flatMap(([kind, list = []]) => {
    const part = kind === '-1' ? 1 : BEGUN;
    return list.map((file, index) => ({ file, turn: (part * index) / list.length }));
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ file }) => file);
}

/** One of several parts of a list; parts count from 1. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

/**
 * @param text `2/3`: the second of three
 * @throws Error when it is none
 */
export function readShare(text: string): Share {
  const [part, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (part === undefined || of === undefined || part < 1 || part > of) {
    throw new Error(`--share ${text}: a part of several is wanted, counted from 1, such as 2/3`);
  }
  return { part, of };
}

/** A part of a list. Neighbours, which are alike in what they take, come into different parts. Pure. */
export function shareOf<T>(list: readonly T[], { part, of }: Share): T[] {
  return list.filter((_, index) => index % of === part - 1);
}

/** Runs test files in this process, one after the other, each as a suite: its hooks are its own, and a report says where a test stands. */
export function runTogether(files: readonly string[]): void {
  for (const file of files) {
    describe(file, async () => {
      await import(pathToFileURL(resolve(file)).href);
    });
  }
}

/** Each file in the first group whose folders it is in; those of no group are left out. */
function inGroups(files: readonly string[]): Record<keyof typeof GROUPS, string[]> {
  const shared: Record<keyof typeof GROUPS, string[]> = {
    components: [],
    apiserver: [],
    controllers: [],
    kube: [],
  };
  for (const file of files) {
    for (const [group, folders] of Object.entries(GROUPS)) {
      if (!folders.test(file)) continue;
      shared[group as keyof typeof GROUPS].push(file);
      break;
    }
  }
  return shared;
}

/** Those that may come out otherwise for another user than the one who has run all of them. */
export function filesOfTheUser(): Pick<TestFiles, 'apart' | 'alone'> {
  const { pure, shared, apart, alone, long } = everydayFiles();
  const all = userFiles([...apart, ...long.apart, ...Object.values(shared).flat(), ...pure]);
  return {
    apart: all.filter((file) => !SAME_FOR_ALL.test(file)),
    alone: userFiles([...alone, ...long.alone]),
  };
}
