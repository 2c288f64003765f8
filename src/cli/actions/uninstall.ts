import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosResult,
  type ChaosSchedule,
  EVENT_TRACKER_POLICIES,
} from '../../api/index.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { isOwnDefinition } from '../../services/install/names.ts';
import { removeEngines } from '../../services/install/remove-engines.ts';
import {
  removeDefinitions,
  removeLevers,
  removeNamespaces,
  removeObjects,
} from '../../services/install/remove-objects.ts';
import {
  type Installation,
  installationOf,
  isRunning,
  lossesText,
  openEntries,
} from '../../services/install/uninstall-plan.ts';
import { listOrNone } from '../../services/objects.ts';
import { stoppable } from '../stoppable.ts';

/** Options of `turnsole uninstall`, as the command line gives them. */
export interface UninstallOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  /** The control plane's claim and key go as well. */
  readonly deleteData?: boolean;
  readonly keepCrds?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly yes?: boolean;
}

/** Stops and reverts all chaos, then removes everything that `turnsole install` has made. Idempotent: goes on where it was. */
export async function run(options: UninstallOptions): Promise<number> {
  const { kubeconfig, context } = options;
  return stoppable('uninstall again to complete it', (signal) =>
    onExisting({ kubeconfig, context }, ({ client }) => uninstall(client, options, signal), signal),
  );
}

async function uninstall(
  client: KubeClient,
  options: UninstallOptions,
  signal: AbortSignal,
): Promise<number> {
  const { namespace, timeout: timeoutMs } = options;
  const { items } = await client.list<Deployment>(DEPLOYMENTS, { signal });
  const installations = items.flatMap((deployment) => installationOf(deployment) ?? []);
  const own = installations.find((installation) => installation.namespace === namespace);
  const others = installations.filter((installation) => installation.namespace !== namespace);
  // All operators share the definitions: they stay as long as another one uses them.
  const keepCrds = options.keepCrds === true || others.length > 0;
  const scope = own?.watchNamespace === undefined ? { signal } : { signal, namespace: own.watchNamespace };
  await confirm(client, scope, keepCrds, options.yes === true);

  const say = (line: string): void => console.log(line);
  const left = await removeEngines({
    client,
    clock: systemClock,
    namespace: own?.watchNamespace,
    keep: keepCrds,
    operatorIsReady: own?.operatorIsReady ?? false,
    timeoutMs,
    signal,
    say,
  });
  const entries = openEntries(await listOrNone<ChaosResult>(client, CHAOS_RESULTS, scope));
  const input = { client, namespace, keepData: options.deleteData !== true, timeoutMs, signal, say };
  await removeObjects(input);
  // Objects that installations share are deleted with the last one.
  if (others.length === 0) await removeLevers(input);
  if (!keepCrds) await removeDefinitions(input);
  else say(keptText(others));
  await removeNamespaces(input);
  if (left.length > 0) say(`let go without their operator: ${left.join(', ')}`);
  for (const entry of entries) say(`not reverted, look at it: ${entry}`);
  say('Uninstalled.');
  return entries.length === 0 ? EXIT.pass : EXIT.couldNotRun;
}

function keptText(others: readonly Installation[]): string {
  const users = others.map(({ namespace }) => namespace).join(', ');
  return others.length === 0
    ? 'the definitions of the chaos kinds stay'
    : `the definitions of the chaos kinds stay: the installation in ${users} uses them`;
}

async function confirm(
  client: KubeClient,
  scope: { readonly signal: AbortSignal; readonly namespace?: string },
  keepCrds: boolean,
  yes: boolean,
): Promise<void> {
  const engines = await listOrNone<ChaosEngine>(client, CHAOS_ENGINES, scope);
  const schedules = await listOrNone<ChaosSchedule>(client, CHAOS_SCHEDULES, scope);
  const results = await listOrNone<ChaosResult>(client, CHAOS_RESULTS, scope);
  // Policies of all namespaces are deleted with their definition.
  const policies = await listOrNone(client, EVENT_TRACKER_POLICIES, { signal: scope.signal });
  const workflows = await workflowsThatGo(client, scope.signal);
  const text = lossesText(
    {
      workflows,
      engines: engines.length,
      running: engines.filter(isRunning).length,
      schedules: schedules.length,
      results: results.length,
      policies: policies.length,
    },
    keepCrds,
  );
  if (text !== undefined && !yes) throw new CommandError(text, 'CONSENT_MISSING');
}

/** Workflows of all namespaces are deleted with their definition, where install has made it. */
async function workflowsThatGo(client: KubeClient, signal: AbortSignal): Promise<number> {
  const name = `${WORKFLOWS.plural}.${WORKFLOWS.group}`;
  const definition = await client.find<KubeObject>(CUSTOM_RESOURCE_DEFINITIONS, name, { signal });
  if (definition === undefined || !isOwnDefinition(definition)) return 0;
  return (await listOrNone(client, WORKFLOWS, { signal })).length;
}
