/** What `turnsole connect` has made by some moment. */
export interface Made {
  /** Namespace of the agent. */
  readonly namespace: string;
  /** Whether the cluster is the embedded one. */
  readonly isLocal: boolean;
  /** The infrastructure at the control plane, once it is known there. */
  infra?: { readonly name: string; readonly id: string };
  /** How far the agent's objects are in the cluster. */
  objects: 'none' | 'some' | 'all';
}

/** The message when the command ends early: what exists, how it goes on, and how to undo it. Pure. */
export function madeSoFar({ infra, objects, namespace, isLocal }: Made): string {
  const cluster = isLocal ? ' The embedded cluster may run: "turnsole down" ends it.' : '';
  if (infra === undefined) return `nothing was registered, and nothing made in the cluster.${cluster}`;
  const agent =
    objects === 'none'
      ? 'nothing of its agent is in the cluster'
      : `${objects === 'some' ? 'a part of the objects' : 'the objects'} of its agent ${objects === 'some' ? 'is' : 'are'} in namespace ${namespace}`;
  const remove = isLocal ? '"turnsole down"' : `"turnsole uninstall --namespace ${namespace}"`;
  const undo = objects === 'none' ? '' : `, then ${remove}`;
  return (
    `infrastructure ${infra.name} (${infra.id}) is registered, and ${agent}. Connect again to complete it; ` +
    `to undo it, delete the infrastructure (on the page, or deleteInfra)${undo}`
  );
}
