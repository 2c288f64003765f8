import type { Deployment, ReplicaSet } from '@turnsole/kube/kinds/core';
import { type DeploymentPlan, decideDeployment } from '../deployment/decide-deployment.ts';
import { REVISION } from '../deployment/revisions.ts';
import { at, START_MS } from './builders.ts';

/** Carries a plan out on plain objects, as the shell does on the server. */
export function apply(
  owner: Deployment,
  sets: readonly ReplicaSet[],
  plan: DeploymentPlan,
): { owner: Deployment; sets: ReplicaSet[] } {
  const next = sets.map((set) => plan.update.find((u) => u.metadata.name === set.metadata.name) ?? set);
  if (plan.create !== undefined) {
    const { name } = plan.create.metadata;
    next.push({
      ...plan.create,
      metadata: {
        ...plan.create.metadata,
        uid: `uid-${name}`,
        creationTimestamp: at(sets.length),
        generation: 1,
      },
      status: { replicas: 0 },
    });
  }
  const gone = new Set(plan.delete.map((set) => set.metadata.name));
  const annotations =
    plan.revision === undefined
      ? owner.metadata.annotations
      : { ...owner.metadata.annotations, [REVISION]: plan.revision };
  return {
    owner: {
      ...owner,
      metadata: { ...owner.metadata, ...(annotations === undefined ? {} : { annotations }) },
      status: plan.status,
    },
    sets: next.filter((set) => !gone.has(set.metadata.name)),
  };
}

/** Each replica set has as many pods as it wants, all ready. */
function settle(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.map((set) => {
    const replicas = set.spec?.replicas ?? 0;
    return {
      ...set,
      status: { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 9 },
    };
  });
}

/** Decides and applies until nothing changes, all pods being ready at once. */
export function rollToEnd(
  owner: Deployment,
  sets: readonly ReplicaSet[],
): { owner: Deployment; sets: ReplicaSet[] } {
  let state = { owner, sets: [...sets] };
  for (let round = 0; round < 100; round++) {
    const before = JSON.stringify(state);
    state = apply(
      state.owner,
      state.sets,
      decideDeployment({ deployment: state.owner, replicaSets: state.sets, pods: [], nowMs: START_MS }),
    );
    state.sets = settle(state.sets);
    if (JSON.stringify(state) === before) return state;
  }
  throw new Error('the rollout does not end');
}

/** The deployment with another image, hence another template. */
export function withImage(owner: Deployment, image: string): Deployment {
  return {
    ...owner,
    metadata: { ...owner.metadata, generation: (owner.metadata.generation ?? 0) + 1 },
    spec: {
      ...owner.spec,
      selector: owner.spec?.selector ?? {},
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

/** Wanted replicas of each set. */
export function sizes(sets: readonly ReplicaSet[]): number[] {
  return sets.map((set) => set.spec?.replicas ?? -1);
}

/** The plan for a deployment and its sets. */
export function observe(owner: Deployment, sets: readonly ReplicaSet[], nowMs = START_MS) {
  return decideDeployment({ deployment: owner, replicaSets: sets, pods: [], nowMs });
}
