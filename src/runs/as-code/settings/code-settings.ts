import { UNUSED_VARIABLES } from '../../../chaos/unread/accepted-variables.ts';
import type { Fault } from '../../../experiment/injection/fault.ts';
import type { CommonTunables } from '../../../experiment/injection/settings/common-tunables.ts';
import { tunablesOf } from '../../../experiment/injection/settings/compile-settings.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';

/** A fault, as far as its settings in code follow from it. */
type CodeFault = Pick<Fault, 'name' | 'summary' | 'tunables' | 'targets' | 'shape' | 'where'>;

type CommonName = keyof CommonTunables;

/** Settings that every experiment has and code can give, with the faults that they mean something to. */
const COMMON: Readonly<Partial<Record<CommonName, (fault: CodeFault) => boolean>>> = {
  TOTAL_CHAOS_DURATION: () => true,
  CHAOS_INTERVAL: isPulse,
  RANDOMNESS: isPulse,
  RAMP_TIME: () => true,
  SEQUENCE: () => true,
  PODS_AFFECTED_PERC: hitsPods,
  TARGET_PODS: hitsPods,
  TARGET_CONTAINER: ({ targets }) => targets === 'containers',
  POD_TERMINATION_ORDER: hitsPods,
  INTER_POD_KILL_INTERVAL_SECONDS: hitsPods,
  FOLLOW_WORKLOAD: (fault) => hitsPods(fault) && !isPulse(fault),
  NODES_AFFECTED_PERC: ({ targets }) => targets === 'nodes',
  TARGET_NODES: ({ targets }) => targets === 'nodes',
  TARGET_NODE: ({ targets }) => targets === 'node',
  NODE_LABEL: (fault) => hitsPods(fault) || hitsNodes(fault),
  ALLOW_PROTECTED_NAMESPACES: hitsPods,
  DEFAULT_HEALTH_CHECK: () => true,
  AUXILIARY_APPINFO: hitsNodes,
  STATUS_CHECK_TIMEOUT: () => true,
  LEASE_SECONDS: ({ where }) => where === 'node',
};

function isPulse({ shape }: CodeFault): boolean {
  return shape === 'pulse';
}

function hitsPods({ targets }: CodeFault): boolean {
  return targets === 'pods' || targets === 'containers';
}

function hitsNodes({ targets }: CodeFault): boolean {
  return targets === 'node' || targets === 'nodes';
}

/** Whether a fault acts on an application that code names as its target. Pure. */
export function hasTarget(fault: Pick<CodeFault, 'targets'>): boolean {
  return fault.targets === 'pods' || fault.targets === 'containers' || fault.targets === 'workloads';
}

/**
 * The settings of a fault that code can give, its own first. Others are decided by the experiment or the run (its name, its targets, its
 * account), or change nothing. Pure.
 */
export function codeSettings(fault: CodeFault): TunableSchema {
  const table = tunablesOf(fault);
  const common = Object.entries(COMMON).flatMap(([name, fits]) => (fits(fault) ? [name] : []));
  return Object.fromEntries(
    [...new Set([...common, ...Object.keys(fault.tunables)])]
      .filter((name) => !(name in UNUSED_VARIABLES))
      .flatMap((name) => {
        const tunable = table[name];
        return tunable === undefined ? [] : [[name, tunable] as const];
      }),
  );
}
