/** A controller: each Deployment with two replicas or more has a PodDisruptionBudget that lets one of its pods go at a time. */
import {
  apiVersionOf,
  Controller,
  controllerOf,
  createClient,
  DEPLOYMENTS,
  type Deployment,
  fromObjects,
  fromOwned,
  Informer,
  isBeingDeleted,
  type KubeClient,
  type KubeObject,
  type LabelSelector,
  LeaderElection,
  loadConfig,
  ownerReference,
  POD_DISRUPTION_BUDGETS,
} from '@turnsole/kube';

interface Budget extends KubeObject {
  spec: { maxUnavailable: number; selector: LabelSelector | undefined };
}

/** The budget that a Deployment is to have, if any. Pure: this is what tests look at. */
export function budgetOf(deployment: Deployment): Budget | undefined {
  if ((deployment.spec?.replicas ?? 1) < 2 || isBeingDeleted(deployment)) return undefined;
  const { name, namespace } = deployment.metadata;
  return {
    apiVersion: apiVersionOf(POD_DISRUPTION_BUDGETS),
    kind: POD_DISRUPTION_BUDGETS.kind,
    metadata: { name, namespace, ownerReferences: [ownerReference(DEPLOYMENTS, deployment)] },
    spec: { maxUnavailable: 1, selector: deployment.spec?.selector },
  };
}

/** Keeps the budgets until the signal fires. */
export async function keepBudgets(client: KubeClient, signal: AbortSignal): Promise<void> {
  const deployments = new Informer<Deployment>({ client, resource: DEPLOYMENTS });
  const budgets = new Informer<Budget>({ client, resource: POD_DISRUPTION_BUDGETS });
  const controller = new Controller({
    name: 'budgets',
    sources: [fromObjects(deployments), fromOwned(budgets, DEPLOYMENTS)],
    reconcile: async ({ key, name, namespace }) => {
      const deployment = deployments.lister.get(key);
      const wanted = deployment === undefined ? undefined : budgetOf(deployment);
      const present = budgets.lister.get(key);
      if (wanted !== undefined) {
        const options = { namespace, fieldManager: 'budgets', force: true };
        await client.patch(POD_DISRUPTION_BUDGETS, name, 'apply', wanted, options);
      } else if (present !== undefined && controllerOf(present)?.kind === 'Deployment') {
        await client.delete(POD_DISRUPTION_BUDGETS, name, { namespace });
      }
    },
  });
  deployments.start();
  budgets.start();
  await controller.start(signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  await controller.stop();
  await Promise.all([deployments.stop(), budgets.stop()]);
}

/** Of several such processes one works; another takes over at once when it ends. */
export async function main(identity: string, signal: AbortSignal): Promise<void> {
  const config = await loadConfig();
  const client = createClient(config);
  const lead = (leading: AbortSignal): Promise<void> => keepBudgets(client, leading);
  await new LeaderElection({ client, namespace: config.namespace, name: 'budgets', identity, lead }).run(
    signal,
  );
  client.close();
}
