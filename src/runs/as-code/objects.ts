/** The objects that say what code says: engine, account with its roles, ChaosExperiments. */
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { packageVersion } from '../../process/version.ts';
import { boundRole, serviceAccount } from '../../services/install/install-object.ts';
import { IMAGE_REPOSITORY } from '../../services/install/settings.ts';
import { type CatalogueEntry, catalogueEntry } from './catalogue.ts';
import { engineSelectors } from './target.ts';
import type { Probe, TargetSelector } from './types.ts';

/** One fault of an experiment. */
export interface Entry {
  readonly fault: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly probes: readonly Probe[];
  /** Empty for faults of nodes and servers. */
  readonly selectors: readonly TargetSelector[];
}

/** What an engine says beside its faults. */
export interface EngineSettings {
  readonly name: string;
  readonly namespace?: string;
  readonly serviceAccount?: string;
  /** Fields of `spec` as they are. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What stands beside an engine. */
interface BesideEngine {
  readonly namespace: string;
  readonly account: boolean;
  readonly experiments: boolean;
  readonly image: string | undefined;
}

/** What the API server takes for the labels of all of them. */
const LABELS = { 'app.kubernetes.io/managed-by': 'turnsole', 'app.kubernetes.io/part-of': 'litmus' } as const;

/** The account of an engine that names none. Pure. */
function accountName({ name, serviceAccount: given }: EngineSettings): string {
  return given ?? `chaos-${name}`;
}

/** The ChaosEngine. Pure. */
export function engineObject(entries: readonly Entry[], settings: EngineSettings, namespace: string): object {
  const selectors = selectorsOfAll(entries);
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: settings.name, namespace },
    spec: {
      engineState: 'active',
      chaosServiceAccount: accountName(settings),
      ...(selectors.length > 0 && { selectors: engineSelectors(selectors, namespace) }),
      ...settings.spec,
      experiments: entries.map(({ fault, env, probes }) => ({
        name: fault,
        spec: {
          ...(env.length > 0 && { components: { env } }),
          ...(probes.length > 0 && { probe: probes }),
        },
      })),
    },
  };
}

/** An engine has targets once, so its faults of applications share them. */
function selectorsOfAll(entries: readonly Entry[]): readonly TargetSelector[] {
  return entries.find(({ selectors }) => selectors.length > 0)?.selectors ?? [];
}

/** What the engine needs beside it, in the order in which it can be applied. Pure but for the version of this package. */
export function experimentObjects(
  entries: readonly Entry[],
  settings: EngineSettings,
  { namespace, account, experiments, image }: BesideEngine,
): object[] {
  const known = entries.map(({ fault }) => ({ fault, entry: catalogueEntry(fault) }));
  return [
    ...(account
      ? accountObjects(
          known.map(({ entry }) => entry),
          entries,
          settings,
          namespace,
        )
      : []),
    ...(experiments ? known.map(({ fault, entry }) => chaosExperiment(fault, entry, namespace, image)) : []),
  ];
}

function accountObjects(
  faults: readonly CatalogueEntry[],
  entries: readonly Entry[],
  settings: EngineSettings,
  namespace: string,
): object[] {
  const name = accountName(settings);
  const account = { name, namespace };
  const ofTargets = selectorsOfAll(entries).map((selector) => selector.namespace ?? namespace);
  const local = faults.flatMap(({ rules }) => rules.local);
  const cluster: readonly PolicyRule[] = faults.flatMap(({ rules }) => rules.cluster);
  return [
    serviceAccount(name, namespace, LABELS, []),
    ...[...new Set([namespace, ...ofTargets])].flatMap((place) =>
      // The role of another namespace is named after the engine's too, since several engines may hit that namespace.
      boundRole(place === namespace ? name : `${name}-${namespace}`, place, LABELS, local, account),
    ),
    ...(cluster.length === 0 ? [] : boundRole(`${name}-${namespace}`, undefined, LABELS, cluster, account)),
  ];
}

function chaosExperiment(
  fault: string,
  { summary, scope, env }: CatalogueEntry,
  namespace: string,
  image = `${IMAGE_REPOSITORY}:${packageVersion()}`,
): object {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosExperiment',
    metadata: { name: fault, namespace, labels: { ...LABELS, name: fault } },
    description: { message: `${summary}\n` },
    spec: {
      definition: {
        scope,
        image,
        imagePullPolicy: 'IfNotPresent',
        args: ['experiment', '-name', fault],
        env,
        labels: { name: fault, ...LABELS, 'app.kubernetes.io/component': 'experiment-job' },
      },
    },
  };
}
