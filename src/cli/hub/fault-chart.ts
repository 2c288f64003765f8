import type { Fault } from '../../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../experiment/injection/settings/common-tunables.ts';
import { formatTunable } from '../../experiment/injection/settings/parse-tunables.ts';
import type { Tunable } from '../../experiment/injection/tunables.ts';
import {
  chaosExperiment,
  faultAccount,
  faultRules,
  type InstalledFault,
} from '../../services/install/fault-objects.ts';
import { mergeRules } from '../../services/install/merge-rules.ts';
import { formatNeeds, formatWay } from '../faults/describe-fault.ts';
import { categoryOf, titleOf } from './categories.ts';

/** What of a fault stands in the hub. */
export type HubFault = InstalledFault & Pick<Fault, 'where' | 'needs'>;

/** Version of the catalogue's entries: that of their form, not of the faults. */
export const CHART_VERSION = '0.1.0';

/** The maintainers of what stands in the hub. */
export const MAINTAINERS = [{ name: 'Turnsole', email: '' }] as const;

/** Oldest Kubernetes that the chaos kinds' definitions fit. */
export const MIN_KUBE_VERSION = '1.20.0';

/** Values for settings that are empty by default, in the example engines. */
const EXAMPLES: Readonly<Record<string, string>> = {
  REPLICA_COUNT: '5',
  SIZE: '64',
  TAINTS: 'example.com/chaos=true:NoSchedule',
  IPMI_IP: '192.0.2.10',
  USER: 'operator',
  PASSWORD: 'change-me',
  RESOURCE_GROUP: 'shop-test',
  AZURE_INSTANCE_NAMES: 'web-1',
  VIRTUAL_DISK_NAMES: 'data-1',
  GCP_PROJECT_ID: 'shop-test',
  ZONES: 'europe-west1-b',
  VM_INSTANCE_NAMES: 'web-1',
  INSTANCE_LABEL: 'chaos:allowed',
  DISK_VOLUME_NAMES: 'data-1',
  DISK_VOLUME_LABEL: 'chaos:allowed',
  APP_VM_MOIDS: 'vm-65',
  REGION: 'eu-west-1',
  LOAD_BALANCER_NAME: 'shop',
  EC2_INSTANCE_ID: 'i-0123456789abcdef0',
  EC2_INSTANCE_TAG: 'chaos:allowed',
  EBS_VOLUME_ID: 'vol-0123456789abcdef0',
  EBS_VOLUME_TAG: 'chaos:allowed',
  RDS_INSTANCE_IDENTIFIER: 'shop-test',
  LOAD_BALANCER_ZONES: 'eu-west-1a',
};

/** The fault as a ChaosExperiment that is applied into any namespace. @param image of Turnsole, with its tag */
export function faultObject(fault: HubFault, image: string): object {
  const settings = { namespace: '', image, pullPolicy: 'IfNotPresent', faultScope: 'namespaced' } as const;
  const { local, cluster } = faultRules(fault, fault.everywhere === true ? 'cluster' : 'namespaced');
  const { spec, description } = chaosExperiment(fault, '', settings) as unknown as ExperimentParts;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosExperiment',
    metadata: { name: fault.name, labels: labelsOf(fault.name, 'chaosexperiment') },
    description,
    spec: { definition: { ...spec.definition, permissions: mergeRules([...local, ...cluster]) } },
  };
}

interface ExperimentParts {
  readonly description: object;
  readonly spec: { readonly definition: object };
}

function labelsOf(name: string, component: string): Readonly<Record<string, string>> {
  return { name, 'app.kubernetes.io/part-of': 'litmus', 'app.kubernetes.io/component': component };
}

/** An engine that runs the fault on the application of the quick start. Pure. */
export function engineObject(fault: HubFault): object {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: `${fault.name}-chaos`, namespace: 'default' },
    spec: {
      engineState: 'active',
      ...(hitsApplications(fault)
        ? { appinfo: { appns: 'default', applabel: 'app=web', appkind: 'deployment' } }
        : {}),
      chaosServiceAccount: faultAccount(fault.name),
      experiments: [{ name: fault.name, spec: { components: { env: engineEnvironment(fault) } } }],
    },
  };
}

/** Whether a fault hits the pods or workloads of an application. */
export function hitsApplications({ targets }: Pick<Fault, 'targets'>): boolean {
  return targets === 'pods' || targets === 'containers' || targets === 'workloads';
}

/** Duration, interval and the fault's own settings that have a value. Pure. */
function engineEnvironment(fault: HubFault): { readonly name: string; readonly value: string }[] {
  const own: Readonly<Record<string, Tunable>> = fault.tunables;
  const common =
    fault.shape === 'pulse' ? ['TOTAL_CHAOS_DURATION', 'CHAOS_INTERVAL'] : ['TOTAL_CHAOS_DURATION'];
  const all: Readonly<Record<string, Tunable>> = COMMON_TUNABLES;
  const table = new Map<string, Tunable>();
  for (const name of [...common, ...Object.keys(own)]) {
    const tunable = own[name] ?? all[name];
    if (tunable !== undefined) table.set(name, tunable);
  }
  // What comes from a Secret stands in the ChaosExperiment.
  const secret = fault.credentials?.variables ?? {};
  return [...table]
    .filter(([name]) => !Object.hasOwn(secret, name))
    .map(([name, tunable]) => ({ name, value: exampleOf(name, tunable) }))
    .filter(({ value }) => value !== '' && value !== '{}');
}

function exampleOf(name: string, tunable: Tunable): string {
  const value = formatTunable(tunable, tunable.default);
  return (tunable.required === true || value === '' ? EXAMPLES[name] : undefined) ?? value;
}

/** The fault's entry in the catalogue. Pure. @param experiments names of the sample experiments with it */
export function catalogueEntry(fault: HubFault, experiments: readonly string[]): object {
  const { displayName, keywords } = categoryOf(fault.name);
  const needs = formatNeeds(fault.needs ?? {});
  const lines = [
    fault.summary,
    `Works on: ${formatWay(fault)}.`,
    ...(needs === '' ? [] : [`Needs ${needs}.`]),
  ];
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChartServiceVersion',
    metadata: {
      name: fault.name,
      version: CHART_VERSION,
      annotations: { categories: displayName, vendor: 'Turnsole', support: 'docs/faults.md' },
    },
    spec: {
      displayName: titleOf(fault.name),
      categoryDescription: `${lines.join('\n')}\n`,
      keywords: [...keywords],
      platforms: ['Kubernetes', 'embedded cluster'],
      ...(fault.targets === 'node' || fault.targets === 'nodes' ? { chaosType: 'infra' } : {}),
      maintainers: [...MAINTAINERS],
      experiments: [fault.name, ...experiments],
      minKubeVersion: MIN_KUBE_VERSION,
      labels: labelsOf(fault.name, 'chartserviceversion'),
      links: [{ name: 'Settings', url: `docs/faults.md#${fault.name}` }],
      icon: [{ url: `icons/${fault.name}.svg`, mediatype: 'image/svg+xml' }],
    },
  };
}
