import { stringify } from 'yaml';
import { type ClusterSession, openExisting } from '../cluster.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { describe } from '../install/apply-object.ts';
import { applyObjects } from '../install/apply-objects.ts';
import { awaitDeployment } from '../install/await-deployment.ts';
import { faultAccount, leftOutText } from '../install/fault-objects.ts';
import type { InstallObject } from '../install/install-object.ts';
import { knownFaults, loadFaults } from '../install/load-faults.ts';
import { otherOperators } from '../install/other-operators.ts';
import { renderInstall } from '../install/render.ts';
import { compileSettings, type InstallOptions, type InstallSettings } from '../install/settings.ts';
import { KindResolver } from '../manifests/discovery.ts';
import { onStopRequest } from '../signals.ts';
import { packageVersion } from '../version.ts';

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
}

/** Installs Turnsole into a cluster, or brings an installation to this release; `--output` prints the objects instead. */
export async function run(options: InstallCommandOptions): Promise<number> {
  const { settings, problems } = compileSettings(options, {
    version: packageVersion(),
    faults: knownFaults(),
  });
  if (problems.length > 0) {
    const lines = problems.map(({ option, message }) => `${option}: ${message}`);
    throw new CommandError(lines.join('\n'), EXIT.badInput);
  }
  const faults = await loadFaults(settings.faults);
  const objects = renderInstall(settings, faults);
  if (options.output !== undefined || options.dryRun === true) {
    console.log(print(objects, options.output ?? 'yaml'));
    return EXIT.pass;
  }
  const stop = new AbortController();
  const unsubscribe = onStopRequest((_count, cause) =>
    stop.abort(new CommandError(`stopped by ${cause}; install again to complete it`, EXIT.aborted)),
  );
  try {
    const session = await openExisting(
      { kubeconfig: options.kubeconfig, context: options.context },
      stop.signal,
    );
    try {
      await install(session, settings, objects, options, stop.signal);
      const leftOut = leftOutText(faults, settings.faultScope);
      if (leftOut !== undefined) console.log(leftOut);
      return EXIT.pass;
    } finally {
      await session.close();
    }
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    unsubscribe();
  }
}

function print(objects: readonly InstallObject[], format: 'yaml' | 'json'): string {
  if (format === 'json') {
    return JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects }, null, 2);
  }
  const documents = objects.map((object) =>
    stringify(object, { lineWidth: 120, aliasDuplicateObjects: false }),
  );
  return documents.join('---\n').trimEnd();
}

async function install(
  { client }: ClusterSession,
  settings: InstallSettings,
  objects: readonly InstallObject[],
  options: InstallCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const others = await otherOperators(client, settings, signal);
  if (others.length > 0 && options.force !== true) {
    const names = others.map(({ deployment }) => deployment).join(', ');
    const message =
      `another operator acts on the same engines: ${names}; each engine would run twice. ` +
      'Remove it or scale it to 0 first, or install with --watch-namespace or --force';
    throw new CommandError(message, EXIT.couldNotRun);
  }
  await applyObjects(objects, {
    client,
    kinds: new KindResolver(client),
    signal,
    onApplied: (object, outcome) => console.log(`${describe(object)} ${outcome}`),
  });
  const { namespace } = settings;
  for (const { metadata } of objects.filter(({ kind }) => kind === 'Deployment')) {
    await awaitDeployment({ client, namespace, name: metadata.name, timeoutMs: options.timeout, signal });
    console.log(`Deployment ${namespace}/${metadata.name} ready`);
  }
  console.log(nextStep(settings));
}

/** What the user does next. */
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
