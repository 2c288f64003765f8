/** What works on a machine or a cluster, and what does not. */
export interface Finding {
  /** Stable, for scripts: `root`, `netem`, `operator`. */
  readonly name: string;
  /** `limited`: something does not work; `broken`: nothing runs. */
  readonly state: 'works' | 'limited' | 'broken';
  /** What was found, and what it means, in a sentence. */
  readonly found: string;
  /** The one command, or step, that helps; absent where nothing is to be done. */
  readonly help?: string;
}

/** Facts about the machine of this process. */
export interface MachineFacts {
  readonly platform: string;
  readonly node: string;
  readonly isRoot: boolean;
  /** What the embedded cluster said when it was started; undefined: it could not be, and why. */
  readonly cluster:
    | {
        readonly startMs: number;
        readonly capabilities: readonly {
          readonly name: string;
          readonly available: boolean;
          readonly note: string;
        }[];
      }
    | { readonly problem: string };
  /** Why an ordinary user cannot be root of namespaces of his own, and what helps; undefined where he can, and where that does not matter. */
  readonly namespacesRefused?: { readonly why: string; readonly help?: string };
  /** Programs that faults use and that are not there, with the packages that have them. */
  readonly missingTools: readonly { readonly tool: string; readonly package: string }[];
  /** Faults that cannot be injected, each with why. */
  readonly impossibleFaults: readonly { readonly name: string; readonly why: string }[];
  /** Whether the kernel can delay and drop packets by rules; undefined where that was not tried. */
  readonly netem?: boolean;
  readonly hasKubectl: boolean;
  readonly memory: { readonly freeMiB: number; readonly totalMiB: number };
  /** Mean number of programs that wanted a processor in the last minute. */
  readonly load: number;
  readonly processors: number;
}

/** With less, pods and probes end for want of memory. */
const LEAST_FREE_MIB = 512;
/** Beyond so many waiting programs for each processor, probes measure the machine. */
const BUSY = 2;

/** What works on a machine. Pure. */
export function diagnoseMachine(facts: MachineFacts): Finding[] {
  const { node, cluster, memory, load, processors, missingTools } = facts;
  const findings: Finding[] = [
    { name: 'node', state: 'works', found: `Node ${node}` },
    'problem' in cluster
      ? { name: 'embedded-cluster', state: 'broken', found: cluster.problem }
      : {
          name: 'embedded-cluster',
          state: 'works',
          found: `it starts, and was ready in ${cluster.startMs} ms`,
        },
    ofUser(facts),
    ...('problem' in cluster ? [] : cluster.capabilities.map(ofCapability)),
  ];
  if (facts.namespacesRefused !== undefined) {
    const { why, help } = facts.namespacesRefused;
    findings.push({
      name: 'user-namespaces',
      state: 'limited',
      found: `ordinary users may not make namespaces: ${why}`,
      ...(help !== undefined && { help }),
    });
  }
  if (facts.netem !== undefined)
    findings.push(
      facts.netem
        ? { name: 'netem', state: 'works', found: 'the kernel delays, drops and duplicates packets' }
        : {
            name: 'netem',
            state: 'limited',
            found:
              'the kernel has no netem: delays, losses and partitions are made by rules and proxies, corruption and duplication of packets do not work',
            help: 'modprobe sch_netem (in the package linux-modules-extra-$(uname -r) of Ubuntu)',
          },
    );
  findings.push(
    missingTools.length === 0
      ? { name: 'tools', state: 'works', found: 'all programs that faults use are there' }
      : {
          name: 'tools',
          state: 'limited',
          found: `not found in PATH: ${missingTools.map(({ tool }) => tool).join(', ')}`,
          help: `apt-get install ${[...new Set(missingTools.map((one) => one.package))].join(' ')}`,
        },
  );
  findings.push(ofFaults(facts.impossibleFaults));
  findings.push(
    facts.hasKubectl
      ? { name: 'kubectl', state: 'works', found: 'kubectl is in PATH' }
      : {
          name: 'kubectl',
          state: 'limited',
          found: 'there is no kubectl; only looking around by hand needs it',
          help: 'apt-get install kubernetes-client',
        },
    memory.freeMiB >= LEAST_FREE_MIB
      ? { name: 'memory', state: 'works', found: `${memory.freeMiB} of ${memory.totalMiB} MiB are free` }
      : {
          name: 'memory',
          state: 'limited',
          found: `${memory.freeMiB} of ${memory.totalMiB} MiB are free: pods may be killed`,
          help: 'end other programs, or run with fewer replicas',
        },
    load <= processors * BUSY
      ? { name: 'load', state: 'works', found: `load ${load.toFixed(1)} on ${processors} processors` }
      : {
          name: 'load',
          state: 'limited',
          found: `load ${load.toFixed(1)} on ${processors} processors: probes measure the machine as well, and verdicts may be Error (MACHINE_BUSY)`,
          help: 'run it when other programs have ended',
        },
  );
  return findings;
}

/** What the user may do. Pure. */
function ofUser({ platform, isRoot, namespacesRefused }: MachineFacts): Finding {
  const name = 'root';
  if (isRoot) return { name, state: 'works', found: 'this is root' };
  if (platform === 'linux' && namespacesRefused === undefined)
    return {
      name,
      state: 'works',
      found:
        'this is an ordinary user, who may make namespaces: pods are isolated where what is run or planned needs it (those of turnsole up: with --isolation full)',
    };
  return {
    name,
    state: 'limited',
    found:
      'this is an ordinary user: pods share the network of the machine, so that programs other than Node cannot have two replicas on a port, and faults of networks, loads and files of containers do not work',
    ...(platform === 'linux' && { help: 'sudo -E env "PATH=$PATH" turnsole …' }),
  };
}

function ofCapability({
  name,
  available,
  note,
}: {
  readonly name: string;
  readonly available: boolean;
  readonly note: string;
}): Finding {
  return { name, state: available ? 'works' : 'limited', found: note };
}

/** Faults with the same reason are named together. */
function ofFaults(impossible: MachineFacts['impossibleFaults']): Finding {
  if (impossible.length === 0)
    return {
      name: 'faults',
      state: 'works',
      found: 'every fault that needs no other service can be injected',
    };
  const byReason = new Map<string, string[]>();
  for (const { name, why } of impossible) byReason.set(why, [...(byReason.get(why) ?? []), name]);
  const reasons = [...byReason].map(([why, names]) => `${names.join(', ')}: ${why}`);
  return { name: 'faults', state: 'limited', found: `cannot be injected here: ${reasons.join('; ')}` };
}

/** Facts about an existing cluster. */
export interface ClusterFacts {
  readonly version: string;
  readonly namespace: string;
  /** Chaos kinds that it does not serve. */
  readonly missingKinds: readonly string[];
  readonly hasOperator: boolean;
  /** Whether it is embedded, so that its command runs the operator. */
  readonly isEmbedded: boolean;
  /** What the user may not do, such as `create chaosengines`. */
  readonly forbidden: readonly string[];
  /** Names of admission webhooks that look at pods. */
  readonly admission: readonly string[];
  /** Pod Security level that the namespace enforces. */
  readonly podSecurity?: string;
}

/** What works on a cluster. Pure. */
export function diagnoseCluster(facts: ClusterFacts): Finding[] {
  const { version, namespace, missingKinds, forbidden, admission, podSecurity } = facts;
  const install = `turnsole install --faults all --fault-namespace ${namespace} --image IMAGE`;
  return [
    { name: 'cluster', state: 'works', found: `it answers: ${version}` },
    missingKinds.length === 0
      ? { name: 'kinds', state: 'works', found: 'the kinds of chaos are served' }
      : { name: 'kinds', state: 'broken', found: `not served: ${missingKinds.join(', ')}`, help: install },
    facts.hasOperator || facts.isEmbedded
      ? { name: 'operator', state: 'works', found: 'an operator runs' }
      : {
          name: 'operator',
          state: 'broken',
          found: `no operator was found that would run engines of namespace ${namespace}`,
          help: install,
        },
    forbidden.length === 0
      ? { name: 'rights', state: 'works', found: `you may run experiments in namespace ${namespace}` }
      : {
          name: 'rights',
          state: 'broken',
          found: `you may not ${forbidden.join(', ')} in namespace ${namespace}`,
          help: `ask an administrator for: kubectl create rolebinding chaos --clusterrole=edit --user=YOU -n ${namespace}`,
        },
    podSecurity === undefined || podSecurity === 'privileged'
      ? {
          name: 'pod-security',
          state: 'works',
          found: `namespace ${namespace} enforces no Pod Security level`,
        }
      : {
          name: 'pod-security',
          state: 'limited',
          found: `namespace ${namespace} enforces Pod Security level ${podSecurity}: helpers of faults in containers and networks are refused`,
          help: `kubectl label --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce=privileged`,
        },
    admission.length === 0
      ? { name: 'admission', state: 'works', found: 'no admission webhook looks at pods' }
      : {
          name: 'admission',
          state: 'limited',
          found: `admission webhooks look at pods, and may change or refuse those of a run: ${admission.join(', ')}`,
        },
  ];
}
