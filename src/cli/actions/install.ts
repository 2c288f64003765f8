import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import { EXIT } from '../../process/exit-codes.ts';
import { packageVersion } from '../../process/version.ts';
import { type ClusterSession, onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { agentsInstance } from '../../services/install/agents-instance.ts';
import { describe } from '../../services/install/apply-object.ts';
import { applyObjects } from '../../services/install/apply-objects.ts';
import { awaitDeployment } from '../../services/install/await-deployment.ts';
import { faultAccount, leftOutText } from '../../services/install/fault-objects.ts';
import { fillSecretKey } from '../../services/install/fill-secret-key.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import { faultsOfTurnsole, knownFaults, loadFaults } from '../../services/install/load-faults.ts';
import { CONTROL_PLANE_KEY_SECRET } from '../../services/install/names.ts';
import { leftOutController, otherControllers } from '../../services/install/other-controllers.ts';
import { refuseOtherOperators } from '../../services/install/other-operators.ts';
import { readPlatformValues } from '../../services/install/platform-values.ts';
import { removeObjects } from '../../services/install/remove-objects.ts';
import { renderInstall } from '../../services/install/render.ts';
import {
  compileInstallSettings,
  type InstallOptions,
  type InstallSettings,
  unwantedComponents,
} from '../../services/install/settings.ts';
import { signInText } from '../../services/install/sign-in-text.ts';
import { objectsText } from '../../services/manifests/yaml-text.ts';
import { stoppable } from '../stoppable.ts';

/** Options of `turnsole install`, as the command line gives them. */
export interface InstallCommandOptions extends InstallOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output?: 'yaml' | 'json';
  readonly dryRun?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  /** Install although another operator acts on the same engines. */
  readonly force?: boolean;
  /** File of {@link PlatformValues}. */
  readonly values?: string;
}

/** Installs Turnsole into a cluster, or brings an installation to this release; `--output` prints the objects instead. */
export async function run(options: InstallCommandOptions): Promise<number> {
  const platform = options.values === undefined ? {} : await readPlatformValues(options.values);
  const { settings, problems } = compileInstallSettings(
    { ...options, platform },
    {
      version: packageVersion(),
      faults: knownFaults(),
      ofTurnsole: faultsOfTurnsole(),
    },
  );
  if (problems.length > 0) {
    const lines = problems.map(({ option, message }) => `${option}: ${message}`);
    throw new CommandError(lines.join('\n'), 'OPTION_INVALID');
  }
  const faults = await loadFaults(settings.faults);
  if (options.output !== undefined || options.dryRun === true) {
    console.log(objectsText(renderInstall(settings, faults), options.output ?? 'yaml'));
    return EXIT.pass;
  }
  const work = async (signal: AbortSignal): Promise<number> =>
    onExisting(
      { kubeconfig: options.kubeconfig, context: options.context },
      async (session) => {
        const served = await forTheAgent(session, settings, signal);
        const wanted = await withoutSecondController(session, served, options, signal);
        await install(session, wanted, renderInstall(wanted, faults), options, signal);
        const leftOut = leftOutText(faults, settings.faultScope);
        if (leftOut !== undefined) console.log(leftOut);
        return EXIT.pass;
      },
      signal,
    );
  return stoppable('install again to complete it', work);
}

/** The settings to install by: the workflow controller goes on for the agent that is connected from this namespace. */
async function forTheAgent(
  { client }: ClusterSession,
  settings: InstallSettings,
  signal: AbortSignal,
): Promise<InstallSettings> {
  if (!settings.workflows || settings.instanceId !== undefined) return settings;
  const instanceId = await agentsInstance(client, settings, signal);
  if (instanceId === undefined) return settings;
  console.log(
    `the workflow controller keeps the instance id ${instanceId}, of the agent in ${settings.namespace}`,
  );
  return { ...settings, instanceId };
}

/**
 * The settings to install by: without the workflow controller where another one serves the same workflows, unless the user asked for it
 * with `--workflows`.
 */
async function withoutSecondController(
  { client }: ClusterSession,
  settings: InstallSettings,
  { workflows }: InstallOptions,
  signal: AbortSignal,
): Promise<InstallSettings> {
  if (!settings.workflows || workflows === true) return settings;
  const found = await otherControllers(client, settings, signal);
  if (found.length === 0) return settings;
  console.log(leftOutController(found));
  return { ...settings, workflows: false };
}

async function install(
  { client }: ClusterSession,
  settings: InstallSettings,
  objects: readonly InstallObject[],
  options: InstallCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  if (options.force !== true) {
    const advice = 'Remove it or scale it to 0 first, or install with --watch-namespace or --force';
    await refuseOtherOperators(client, settings, advice, signal);
  }
  await applyObjects(objects, {
    client,
    kinds: new KindResolver(client),
    signal,
    onApplied: (object, outcome, remarks) => {
      console.log(`${describe(object)} ${outcome}`);
      for (const remark of remarks) console.log(`  ${remark}`);
    },
  });
  const { namespace } = settings;
  if (settings.controlPlane !== undefined && (await fillSecretKey(client, namespace, signal))) {
    console.log(`Secret ${namespace}/${CONTROL_PLANE_KEY_SECRET}: the key was made; keep a copy of it`);
  }
  await removeComponents(client, settings, options, signal);
  for (const { metadata } of objects.filter(({ kind }) => kind === 'Deployment')) {
    await awaitDeployment({ client, namespace, name: metadata.name, timeoutMs: options.timeout, signal });
    console.log(`Deployment ${namespace}/${metadata.name} ready`);
  }
  console.log(nextStep(settings));
  if (settings.controlPlane !== undefined) console.log(signInText(settings, settings.controlPlane));
}

/** Removes the components that the user does not want any more; what nothing was said of stays. */
async function removeComponents(
  client: KubeClient,
  { namespace }: InstallSettings,
  options: InstallCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const components = unwantedComponents(options);
  if (components.length === 0) return;
  await removeObjects({
    client,
    namespace,
    components,
    keepData: true,
    timeoutMs: options.timeout,
    signal,
    say: (line) => console.log(line),
  });
}

/** The next step for the user. */
function nextStep(settings: InstallSettings): string {
  const [fault] = settings.faults;
  const [namespace] = settings.faultNamespaces;
  if (fault === undefined || namespace === undefined) {
    return 'Installed. "turnsole install --faults all --fault-namespace NAMESPACE" adds faults where your engines are.';
  }
  return (
    `Installed. Engines in namespace ${settings.faultNamespaces.join(', ')} may use ` +
    `chaosServiceAccount: ${faultAccount(fault)} for ${fault}, and so on.`
  );
}
