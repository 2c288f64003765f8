import type { Fault } from '../../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../experiment/injection/settings/common-tunables.ts';
import { describeForm } from '../../experiment/injection/settings/describe-tunable.ts';
import { formatTunable } from '../../experiment/injection/settings/parse-tunables.ts';
import type { Tunable, TunableSchema } from '../../experiment/injection/tunables.ts';

/** The members of a fault that are shown. */
export type ShownFault = Pick<
  Fault,
  'name' | 'summary' | 'tunables' | 'targets' | 'shape' | 'where' | 'permissions' | 'needs' | 'calls'
>;

/** A fault as data for `-o json` and `-o yaml`; its keys are an interface to scripts. */
interface FaultDescription {
  readonly name: string;
  readonly summary: string;
  readonly targets: Fault['targets'];
  readonly shape: Fault['shape'];
  readonly where: Fault['where'];
  readonly needs: NonNullable<Fault['needs']>;
  readonly permissions: Fault['permissions'];
  /** What it asks of an API outside of the cluster; absent of faults that ask none. */
  readonly calls?: Fault['calls'];
  /** Its own settings, and common ones whose defaults it changes. */
  readonly settings: readonly SettingDescription[];
  readonly commonSettings: readonly SettingDescription[];
}

/** One setting as data. */
export interface SettingDescription {
  readonly name: string;
  readonly type: Tunable['type'];
  /** The accepted values, as part of a sentence. */
  readonly form: string;
  /** As an environment variable says it. */
  readonly default: string;
  readonly required: boolean;
  readonly description: string;
}

/** The whole description of a fault. Pure. */
export function describeFault(fault: ShownFault): FaultDescription {
  const { name, summary, targets, shape, where, needs = {}, permissions, tunables, calls } = fault;
  const common = Object.entries(COMMON_TUNABLES).filter(([variable]) => !(variable in tunables));
  return {
    ...{ name, summary, targets, shape, where, needs, permissions },
    ...(calls === undefined ? {} : { calls }),
    settings: describeSettings(tunables),
    commonSettings: describeSettings(Object.fromEntries(common)),
  };
}

/** Each setting of a table. Pure. */
export function describeSettings(table: TunableSchema): SettingDescription[] {
  return Object.entries(table).map(([name, tunable]) => ({
    name,
    type: tunable.type,
    form: describeForm(tunable),
    default: defaultOf(tunable),
    required: tunable.required === true,
    description: tunable.description,
  }));
}

function defaultOf(tunable: Tunable): string {
  const text = formatTunable(tunable, tunable.default);
  return text === '{}' ? '' : text;
}

/** Targets and way of a fault, in a line: `pods; in rounds; through the API`. Pure. */
export function formatWay({ targets, shape, where }: Pick<Fault, 'targets' | 'shape' | 'where'>): string {
  const what = {
    pods: 'pods',
    containers: 'containers',
    workloads: 'deployments and stateful sets',
    node: 'one node',
    nodes: 'nodes',
    resources: 'resources of a cloud',
    none: 'no targets',
  }[targets];
  const how = shape === 'pulse' ? 'in rounds' : 'held, then reverted';
  const place =
    where === 'api'
      ? targets === 'resources'
        ? 'through its API'
        : 'through the API'
      : "by a helper on the targets' nodes";
  return `${what}; ${how}; ${place}`;
}

/** Requirements to the machine: `capabilities CAP_NET_ADMIN; programs tc; isolated pods`; empty without any. Pure. */
export function formatNeeds({
  capabilities = [],
  tools = [],
  targetTools = [],
  targetShell,
  linux,
  isolatedPods,
  networkPolicies,
}: NonNullable<Fault['needs']>): string {
  const parts = [
    linux === true ? 'Linux' : '',
    capabilities.length === 0 ? '' : `capabilities ${capabilities.map((name) => `CAP_${name}`).join(', ')}`,
    tools.length === 0 ? '' : `programs ${tools.join(', ')}`,
    targetTools.length === 0 ? '' : `programs in the target ${targetTools.join(', ')}`,
    targetShell === undefined ? '' : 'a shell in the target',
    isolatedPods === true ? 'isolated pods' : '',
    networkPolicies === true ? 'a network that enforces NetworkPolicies' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** `delete, get pods (apps)`: a rule as people read it. Pure. */
export function formatRule({
  apiGroups = [''],
  resources = [],
  verbs = [],
}: Fault['permissions'][number]): string {
  const group = apiGroups.filter((name) => name !== '').join(', ');
  return `${verbs.join(', ')} ${resources.join(', ')}${group === '' ? '' : ` (${group})`}`;
}
