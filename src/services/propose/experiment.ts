import { suggest } from '@turnsole/kube/schema/suggest';
import type { ChaosEngineSpec, Probe } from '../../api/index.ts';
import type { Fault } from '../../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../experiment/injection/settings/common-tunables.ts';
import { faultAccount, faultObjects, type InstalledFault } from '../install/fault-objects.ts';
import type { InstallObject } from '../install/install-object.ts';
import { LABEL_INSTALLATION } from '../install/names.ts';
import type { InstallSettings } from '../install/settings.ts';
import { type NamedTarget, targetText } from './target.ts';

/** An experiment in the words of somebody who has written no manifest. */
export interface Proposal {
  readonly fault: InstalledFault;
  /** Undefined for faults without targets, and for those of nodes that choose some themselves. */
  readonly target: NamedTarget | undefined;
  readonly namespace: string;
  readonly probes: readonly Probe[];
  /** Variables of the fault, as the user gave them. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Why a fault cannot be aimed so; undefined where it can. Pure. */
export function aimProblem(
  { name, targets }: Pick<Fault, 'name' | 'targets'>,
  target: NamedTarget | undefined,
): string | undefined {
  if (targets === 'none')
    return target === undefined
      ? undefined
      : `${name} has no target: leave out --target, and name what it acts on by its settings (turnsole faults show ${name})`;
  if (targets === 'nodes' && target === undefined) return undefined;
  if (target === undefined)
    return targets === 'node'
      ? `${name} needs --target: node/NAME, or a workload whose pods run on the node, such as deployment/api`
      : `${name} needs --target: a workload, such as deployment/api`;
  if (target.kind === 'node' && targets !== 'node' && targets !== 'nodes')
    return `${name} does not hit nodes; name a workload, such as deployment/api`;
  if (target.kind !== 'node' && targets === 'nodes')
    return `${name} hits nodes; name one, such as node/turnsole-1, or leave out --target`;
  if (targets === 'workloads' && target.kind !== 'deployment' && target.kind !== 'statefulset')
    return `${name} hits deployments and stateful sets, and ${targetText(target)} is neither`;
  return undefined;
}

/** Why a setting is none of the fault's; undefined where it is. Pure. */
export function settingProblem(
  { name, tunables }: Pick<Fault, 'name' | 'tunables'>,
  setting: string,
): string | undefined {
  const known = [...Object.keys(tunables), ...Object.keys(COMMON_TUNABLES)];
  if (known.includes(setting)) return undefined;
  const near = suggest(setting, known);
  const hint = near === undefined ? `turnsole faults show ${name} lists all` : `did you mean ${near}?`;
  return `--set ${setting}: no setting of ${name}; ${hint}`;
}

/** Name of the engine: what is hit, and by what. Pure. */
export function engineName({ fault, target }: Pick<Proposal, 'fault' | 'target'>): string {
  const whole = target === undefined ? fault.name : `${target.name}-${fault.name}`;
  // The names of its pods are longer, and end in a label.
  return whole.slice(0, LONGEST_NAME).replace(/[-.]+$/, '');
}

const LONGEST_NAME = 52;

/** The engine of an experiment. Pure. */
export function proposedEngine(proposal: Proposal): InstallObject {
  const { fault, namespace, probes } = proposal;
  const env = [...environmentOf(proposal)].map(([name, value]) => ({ name, value }));
  const spec: ChaosEngineSpec = {
    engineState: 'active',
    chaosServiceAccount: faultAccount(fault.name),
    ...selectorsOf(proposal),
    experiments: [
      {
        name: fault.name,
        spec: {
          ...(env.length === 0 ? {} : { components: { env } }),
          ...(probes.length === 0 ? {} : { probe: [...probes] }),
        },
      },
    ],
  };
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: engineName(proposal), namespace },
    spec,
  };
}

function selectorsOf({ target, namespace }: Proposal): Pick<ChaosEngineSpec, 'selectors'> {
  if (target === undefined || target.kind === 'node') return {};
  if (target.kind === 'pod') return { selectors: { pods: [{ namespace, names: target.name }] } };
  return { selectors: { workloads: [{ kind: target.kind, namespace, names: target.name }] } };
}

/** The settings of the user, and the node that the target names. */
function environmentOf({ fault, target, settings }: Proposal): ReadonlyMap<string, string> {
  if (target?.kind !== 'node') return settings;
  const variable = fault.targets === 'node' ? 'TARGET_NODE' : 'TARGET_NODES';
  return new Map([[variable, target.name], ...settings]);
}

/** ChaosExperiment, account and roles of the fault in the namespace of the engine. Pure. */
export function proposedFault(
  { fault, namespace }: Pick<Proposal, 'fault' | 'namespace'>,
  install: InstallSettings,
): InstallObject[] {
  const faultScope = fault.everywhere === true ? 'cluster' : 'namespaced';
  const settings = { ...install, namespace, faultNamespaces: [namespace], faultScope } as const;
  return faultObjects(fault, settings).map(withoutInstallation);
}

/** Its own label is what `turnsole uninstall` goes by. */
function withoutInstallation(object: InstallObject): InstallObject {
  const { labels = {}, ...metadata } = object.metadata;
  const own = Object.entries(labels).filter(([name]) => !DROPPED.includes(name));
  return {
    ...object,
    metadata: { ...metadata, ...(own.length === 0 ? {} : { labels: Object.fromEntries(own) }) },
  };
}

const DROPPED: readonly string[] = [LABEL_INSTALLATION, 'app.kubernetes.io/managed-by'];
