import type { ScalableWorkload } from '../../experiment/targets/resolve-workloads.ts';

/** Annotation of a workload that a fault has scaled: by which injection, and how many replicas it wanted before. */
export const SCALED_ANNOTATION = 'turnsole.io/scaled-by';

/** What stands in the annotation. */
interface Scaled {
  readonly id: string;
  readonly replicas: number;
}

/** A merge patch that is only accepted while the workload is as it was read. */
export interface ScalePatch {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly annotations: Readonly<Record<string, string | null>>;
  };
  readonly spec: { readonly replicas: number };
}

/**
 * Scales a workload and writes down, in the same patch, what it wanted before: so the revert knows whether the injection came so
 * far. Undefined when this injection has scaled it already. Pure.
 *
 * @throws Error when another injection holds it: which number is the original then depends on who ends first
 */
export function scale(workload: ScalableWorkload, id: string, replicas: number): ScalePatch | undefined {
  const present = scaledBy(workload);
  if (present?.id === id) return undefined;
  if (present !== undefined) {
    const { name, namespace } = workload.metadata;
    throw new Error(
      `${namespace}/${name} is scaled by another run of chaos (${present.id}); wait until that one is over. If it is no more, set ` +
        `spec.replicas to ${present.replicas} and remove the annotation ${SCALED_ANNOTATION}`,
    );
  }
  const note: Scaled = { id, replicas: wantedReplicas(workload) };
  return patchOf(workload, JSON.stringify(note), replicas);
}

/** Gives a workload its replicas back. Undefined when this injection has not scaled it, or it was made anew. Pure. */
export function unscale(workload: ScalableWorkload, id: string): ScalePatch | undefined {
  const present = scaledBy(workload);
  return present?.id === id ? patchOf(workload, null, present.replicas) : undefined;
}

/** Whether as many pods are ready as are wanted, and no others are left. Pure. */
export function hasReplicas({ metadata, status }: ScalableWorkload, wanted: number): boolean {
  const { observedGeneration = 0, replicas = 0, readyReplicas = 0 } = status ?? {};
  return observedGeneration >= (metadata.generation ?? 0) && replicas === wanted && readyReplicas === wanted;
}

/** How many replicas a workload wants; Kubernetes' default is one. Pure. */
export function wantedReplicas({ spec }: ScalableWorkload): number {
  return spec?.replicas ?? 1;
}

function patchOf({ metadata }: ScalableWorkload, note: string | null, replicas: number): ScalePatch {
  const { resourceVersion } = metadata;
  return {
    metadata: { resourceVersion, annotations: { [SCALED_ANNOTATION]: note } },
    spec: { replicas },
  };
}

/** @throws Error when the annotation was damaged: the original number is lost then */
function scaledBy({ metadata }: ScalableWorkload): Scaled | undefined {
  const text = metadata.annotations?.[SCALED_ANNOTATION];
  if (text === undefined || text === '') return undefined;
  try {
    const { id, replicas } = JSON.parse(text) as Partial<Scaled>;
    if (typeof id === 'string' && Number.isInteger(replicas)) return { id, replicas: Number(replicas) };
  } catch {
    // Said below.
  }
  throw new Error(
    `annotation ${SCALED_ANNOTATION} of ${metadata.namespace}/${metadata.name} cannot be read; set spec.replicas as it should be, ` +
      'and remove the annotation',
  );
}
