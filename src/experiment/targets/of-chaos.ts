import type { KubeObject } from '@turnsole/kube/kinds/core';
import {
  COMPONENT_RUNNER,
  LABEL_CHAOS_UID,
  LABEL_COMPONENT,
  LABEL_PART_OF,
  PART_OF_LITMUS,
} from '../../api/index.ts';

/** The role of an object in chaos' own machinery, by its labels, as in `it is …`; undefined for any other object. Pure. */
export function chaosRoleOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  const labels = metadata.labels ?? {};
  if ((labels[LABEL_CHAOS_UID] ?? '') !== '') return 'it belongs to a run of chaos';
  if (labels[LABEL_COMPONENT] === COMPONENT_RUNNER) return 'it is a chaos runner';
  if (labels.name === 'chaos-operator') return 'it is the chaos operator';
  if (labels[LABEL_PART_OF] === PART_OF_LITMUS) return 'it belongs to the installation of chaos';
  return undefined;
}
