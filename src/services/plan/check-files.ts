import type { KubeClient } from '@turnsole/kube/client/types';
import { SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { CHAOS_EXPERIMENTS, type ChaosEngine, type ChaosExperiment } from '../../api/index.ts';
import { judgeSettings } from '../../experiment/plan/settings-problems.ts';
import { faultRegistry } from '../../faults/index.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { namespaceOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import { accountProblem, experimentProblem, settingsProblems } from './engine-problems.ts';
import { experimentOf } from './obstacles.ts';

/** A cluster as the check of files looks at it; requests go out when it asks. */
export function surroundings(client: KubeClient, signal: AbortSignal): Surroundings {
  return {
    experiment: (namespace, name) =>
      client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, name, { namespace, signal }),
    hasAccount: async (namespace, name) =>
      (await client.find(SERVICE_ACCOUNTS, name, { namespace, signal })) !== undefined,
  };
}

/** Where to look for objects that the files do not have. */
export interface CheckFilesOptions {
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /**
   * The present objects of the cluster. `unknown`: not read yet, and objects that the files lack may exist. `nothing`: a new
   * embedded cluster, which has what the files bring.
   */
  readonly cluster: Surroundings | 'unknown' | 'nothing';
}

/** A cluster that was there before the run. */
interface Surroundings {
  experiment(namespace: string, name: string): Promise<ChaosExperiment | undefined>;
  hasAccount(namespace: string, name: string): Promise<boolean>;
}

/** An engine with what can be said against it before anything is started. */
export interface CheckedEngine {
  readonly manifest: Manifest;
  readonly namespace: string;
  readonly problems: readonly InputProblem[];
}

/**
 * Judges engines by the files: settings, names of variables and faults, probes, and whether ChaosExperiments and service accounts are there.
 * Nothing is started and nothing applied for it.
 */
export function checkFiles(
  engines: readonly Manifest[],
  others: readonly Manifest[],
  options: CheckFilesOptions,
): Promise<CheckedEngine[]> {
  return Promise.all(
    engines.map(async (manifest) => {
      const namespace = namespaceOf(manifest, options.namespace);
      return { manifest, namespace, problems: await problemsOf(manifest, namespace, others, options) };
    }),
  );
}

/** @throws BadInputError with every problem that was found */
export function refuseChecked(checked: readonly CheckedEngine[]): void {
  const problems = checked.flatMap((one) => one.problems);
  if (problems.length > 0) throw new BadInputError(problems);
}

async function problemsOf(
  manifest: Manifest,
  namespace: string,
  others: readonly Manifest[],
  options: CheckFilesOptions,
): Promise<InputProblem[]> {
  // Its structure has been checked when it was loaded.
  const engine = { ...manifest.object, metadata: { ...manifest.object.metadata, namespace } } as ChaosEngine;
  const account = { namespace, name: engine.spec.chaosServiceAccount || 'default' };
  const [hasAccount, ...ofEntries] = await Promise.all([
    accountExists(account, others, options),
    ...engine.spec.experiments.map(async (entry, index): Promise<InputProblem[]> => {
      const experiment = await findExperiment(namespace, entry.name, others, options);
      if (experiment === 'missing') return [experimentProblem(manifest, namespace, entry.name, index)];
      if (experiment === 'unknown') return [];
      const tools = { registry: faultRegistry, random: Math.random };
      const { problems } = await judgeSettings(engine, experiment, entry, tools);
      return settingsProblems(manifest, engine, problems, index);
    }),
  ]);
  return [...(hasAccount ? [] : [accountProblem(manifest, account)]), ...ofEntries.flat()];
}

async function findExperiment(
  namespace: string,
  name: string,
  others: readonly Manifest[],
  { namespace: fallback, cluster }: CheckFilesOptions,
): Promise<ChaosExperiment | 'missing' | 'unknown'> {
  const inFiles = experimentOf(others, namespace, name, fallback);
  if (inFiles !== undefined) return inFiles;
  if (typeof cluster === 'string') return cluster === 'unknown' ? 'unknown' : 'missing';
  return (await cluster.experiment(namespace, name)) ?? 'missing';
}

async function accountExists(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  others: readonly Manifest[],
  { namespace: fallback, cluster }: CheckFilesOptions,
): Promise<boolean> {
  const isInFiles = others.some(
    (one) =>
      one.object.kind === 'ServiceAccount' &&
      one.object.metadata.name === name &&
      namespaceOf(one, fallback) === namespace,
  );
  // Every namespace gets its default account.
  if (isInFiles || name === 'default' || cluster === 'unknown') return true;
  return cluster !== 'nothing' && (await cluster.hasAccount(namespace, name));
}
