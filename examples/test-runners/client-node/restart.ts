/** Code of an application that uses `@kubernetes/client-node`, and knows nothing of Turnsole. */
import { type AppsV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';

/** Has a Deployment replace its pods one after the other, as `kubectl rollout restart` does. */
export async function restart(apps: AppsV1Api, namespace: string, name: string, now: Date): Promise<void> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': now.toISOString() };
  await apps.patchNamespacedDeployment(
    { name, namespace, body: { spec: { template: { metadata: { annotations } } } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
}
