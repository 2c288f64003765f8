import { nameOption } from '../up/registry.ts';

/** What `turnsole connect` has made by some moment. */
export interface Made {
  /** Namespace of the agent. */
  readonly namespace: string;
  /** Name of the embedded cluster; undefined for one of a kubeconfig. */
  readonly cluster: string | undefined;
  /** The infrastructure at the control plane, once it is known there. */
  infra?: { readonly name: string; readonly id: string };
  /** How far the agent's objects are in the cluster. */
  objects: 'none' | 'some' | 'all';
}

/** The message when the command ends early: what exists, how it goes on, and how to undo it. Pure. */
export function madeSoFar({ infra, objects, namespace, cluster }: Made): string {
  const down = cluster === undefined ? undefined : `"turnsole down${nameOption(cluster)}"`;
  const running = down === undefined ? '' : ` The embedded cluster may run: ${down} ends it.`;
  if (infra === undefined) return `nothing was registered, and nothing made in the cluster.${running}`;
  const agent =
    objects === 'none'
      ? 'nothing of its agent is in the cluster'
      : `${objects === 'some' ? 'a part of the objects' : 'the objects'} of its agent ${objects === 'some' ? 'is' : 'are'} in namespace ${namespace}`;
  const remove = down ?? `"turnsole uninstall --namespace ${namespace}"`;
  const undo = objects === 'none' ? '' : `, then ${remove}`;
  return (
    `infrastructure ${infra.name} (${infra.id}) is registered, and ${agent}. Connect again to complete it; ` +
    `to undo it, delete the infrastructure (on the page, or deleteInfra)${undo}`
  );
}
