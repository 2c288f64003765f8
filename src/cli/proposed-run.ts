import { writeFile } from 'node:fs/promises';
import type { KubeClient } from '@turnsole/kube/client/types';
import { SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { CHAOS_EXPERIMENTS } from '../api/index.ts';
import { packageVersion } from '../process/version.ts';
import { type ClusterOptions, meansExisting, onExisting } from '../runs/session/open-cluster.ts';
import { CommandError, formatProblem } from '../services/errors.ts';
import { withExposedPorts } from '../services/init/exposed-ports.ts';
import { filesHere } from '../services/init/project-files.ts';
import { faultAccount } from '../services/install/fault-objects.ts';
import { compileInstallSettings } from '../services/install/settings.ts';
import { namespaceOf } from '../services/manifests/apply.ts';
import { type Manifest, parseManifests } from '../services/manifests/load.ts';
import {
  loadFiles,
  type ReadManifests,
  type ReadOptions,
  sortManifests,
} from '../services/manifests/read.ts';
import { localNodeOf } from '../services/plan/obstacles.ts';
import { applicationIn, applicationOf } from '../services/propose/application.ts';
import type { Check } from '../services/propose/check.ts';
import { type ProposalPlace, type ProposedExperiment, propose } from '../services/propose/propose.ts';
import type { NamedTarget } from '../services/propose/target.ts';
import { loadFault } from './faults/load-fault.ts';

/** Options of an experiment that stands on the command line. */
export interface ProposedOptions extends ClusterOptions {
  readonly fault?: string;
  readonly target?: NamedTarget;
  /** false: nothing is asked. */
  readonly probe?: readonly string[] | false;
  readonly rate?: number;
  readonly tolerance?: NonNullable<Check['tolerance']>;
  readonly set?: ReadonlyMap<string, string>;
  /** File for the manifests that say the same. */
  readonly save?: string;
  /** Reads folders with all below them. */
  readonly recursive?: boolean;
}

/** Options that mean nothing without a fault. */
const OF_FAULT = ['target', 'probe', 'rate', 'tolerance', 'set', 'save'] as const;

/** What the manifests are read for. */
export interface ProposedContext {
  readonly progress: { step(message: string): void };
  readonly signal: AbortSignal;
  readonly read: ReadOptions;
}

/**
 * The manifests of an application, and those of the experiment that the options say; they are exactly the ones that `--save` writes.
 * Undefined where the options name no fault.
 *
 * @throws CommandError
 */
export async function readProposed(
  paths: readonly string[],
  options: ProposedOptions,
  context: ProposedContext,
): Promise<ReadManifests | undefined> {
  const { fault, save } = options;
  if (fault === undefined) {
    const useless = OF_FAULT.find((name) => options[name] !== undefined);
    if (useless === undefined) return undefined;
    const flag = options.probe === false ? 'no-probe' : useless;
    throw new CommandError(`--${flag} says something about --fault, which is missing`, 'OPTION_INVALID');
  }
  const { proposed, kept } = await proposeExperiment(paths, { ...options, fault }, context);
  if (save !== undefined) await saveProposed(save, proposed.text);
  const own = parseManifests(save ?? `--fault ${fault}`, proposed.text, []);
  const found = sortManifests([...kept, ...own], paths.join(' '), context.read);
  for (const warning of found.warnings) context.progress.step(`warning: ${formatProblem(warning)}`);
  return found;
}

/** An experiment that the options say, with the manifests of its application. @throws CommandError */
export async function proposeExperiment(
  paths: readonly string[],
  options: ProposedOptions & { readonly fault: string },
  { progress, signal }: Omit<ProposedContext, 'read'>,
): Promise<{ readonly proposed: ProposedExperiment; readonly kept: readonly Manifest[] }> {
  const fault = await loadFault(options.fault);
  const loaded = paths.length === 0 ? [] : await loadFiles(paths, progress, options.recursive);
  const { kept, left } = withoutRuns(loaded);
  for (const { object } of left)
    progress.step(`warning: ${object.kind} ${object.metadata.name} is not run: --fault says what is`);
  const place = meansExisting(options)
    ? await onExisting(options, (session) => placeIn(session, kept, fault.name, signal), signal)
    : placeOfFiles(paths, kept, options, fault.name);
  const { target, rate, tolerance } = options;
  const proposed = propose(
    {
      fault,
      target,
      urls: options.probe === false ? 'none' : options.probe,
      settings: options.set ?? new Map(),
      ...(rate !== undefined && { rate }),
      ...(tolerance !== undefined && { tolerance }),
    },
    place,
  );
  for (const note of proposed.notes) progress.step(note);
  return { proposed, kept };
}

/** Objects that would be run by themselves. */
function withoutRuns(manifests: readonly Manifest[]): { kept: Manifest[]; left: Manifest[] } {
  const isRun = ({ object: { apiVersion, kind } }: Manifest): boolean =>
    (apiVersion.startsWith('litmuschaos.io/') && (kind === 'ChaosEngine' || kind === 'ChaosSchedule')) ||
    (apiVersion.startsWith('argoproj.io/') && (kind === 'Workflow' || kind === 'CronWorkflow'));
  return {
    kept: manifests.filter((one) => !isRun(one)),
    left: manifests.filter(isRun),
  };
}

/** A new embedded cluster has what the files bring. */
function placeOfFiles(
  paths: readonly string[],
  manifests: readonly Manifest[],
  { namespace: named }: ProposedOptions,
  fault: string,
): ProposalPlace {
  if (paths.length === 0)
    throw new CommandError(
      'without --kubeconfig the application comes from files: name its manifests after the options, such as k8s/',
      'OPTION_INVALID',
    );
  const objects = manifests.map(({ object }) => object);
  const application = withExposedPorts(applicationOf(objects, named ?? 'default'), filesHere());
  const namespace = named ?? onlyNamespace(application.workloads) ?? 'default';
  const has = (kind: string, name: string): boolean =>
    manifests.some(
      (one) =>
        one.object.kind === kind &&
        one.object.metadata.name === name &&
        namespaceOf(one, named ?? 'default') === namespace,
    );
  const hasFault = has('ChaosExperiment', fault) && has('ServiceAccount', faultAccount(fault));
  return { application, namespace, hasFault, install: installSettings() };
}

/** Files of an application mostly say themselves where it stands. */
function onlyNamespace(workloads: readonly { readonly namespace: string }[]): string | undefined {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  return namespaces.length === 1 ? namespaces[0] : undefined;
}

/** An existing cluster has its own application; files may add to it. */
async function placeIn(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  manifests: readonly Manifest[],
  fault: string,
  signal: AbortSignal,
): Promise<ProposalPlace> {
  const [there, experiment, account, node] = await Promise.all([
    applicationIn(client, namespace, signal),
    client.find(CHAOS_EXPERIMENTS, fault, { namespace, signal }),
    client.find(SERVICE_ACCOUNTS, faultAccount(fault), { namespace, signal }),
    localNodeOf({ client, signal }),
  ]);
  const hasFault = experiment !== undefined && account !== undefined;
  // Roles are its administrators' business, and only they know the image.
  if (!hasFault && node === undefined)
    throw new CommandError(
      `namespace ${namespace} of this cluster has no ChaosExperiment ${fault} with its account; ` +
        `install it: turnsole install --faults ${fault} --fault-namespace ${namespace} --image IMAGE`,
      'NOT_FOUND',
    );
  const objects = manifests.map(({ object }) => object);
  const brought = withExposedPorts(applicationOf(objects, namespace), filesHere());
  const application = {
    workloads: [...there.workloads, ...brought.workloads],
    services: [...there.services, ...brought.services],
    exposed: brought.exposed ?? new Map(),
  };
  return { application, namespace, hasFault, install: installSettings() };
}

function installSettings(): ProposalPlace['install'] {
  return compileInstallSettings({}, { version: packageVersion(), faults: [] }).settings;
}

/** Writes the manifests to a new file. @throws CommandError when it exists or cannot be written */
export async function saveProposed(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const reason = isThere ? 'it exists; name another file, or remove it' : (error as Error).message;
    throw new CommandError(`--save ${file}: ${reason}`, 'OPTION_INVALID');
  }
}
