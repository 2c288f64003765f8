import type { KubeObject } from '@turnsole/kube/kinds/core';
import { LABEL_COMPLETED } from './labels.ts';

/** Whether a workflow or a node of this phase came to its end, a good or a bad one. Pure. */
export function isOverPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

/** Whether the controller is done with a workflow for good, unless a client takes the label back. Pure. */
export function isCompleted({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.labels?.[LABEL_COMPLETED] === 'true';
}
