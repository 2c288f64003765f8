import { type FieldError, required } from '@turnsole/kube/schema/field-error';
import { validateAnnotations, validateLabels, validateObjectMeta } from '@turnsole/kube/schema/object-meta';
import type { ChaosExperiment } from '../schema/experiment.ts';
import { validateEnv, validateImage, validateMounts } from './pod-parts.ts';

/**
 * All problems of an experiment that its structure cannot show: whatever would make the runner or Kubernetes refuse its
 * Job. The value has passed the structural check.
 */
export function validateExperiment(experiment: ChaosExperiment): FieldError[] {
  const { definition } = experiment.spec;
  const path = ['spec', 'definition'];
  return [
    ...validateObjectMeta(experiment.metadata),
    ...validateImage(definition.image, [...path, 'image'], true),
    ...validateLabels(definition.labels, [...path, 'labels']),
    ...validateAnnotations(definition.experimentAnnotations, [...path, 'experimentAnnotations']),
    ...validateEnv(definition.env, [...path, 'env']),
    ...validateMounts([
      { path: [...path, 'configMaps'], mounts: definition.configMaps, fields: ['name', 'mountPath'] },
      { path: [...path, 'secrets'], mounts: definition.secrets, fields: ['name', 'mountPath'] },
      {
        path: [...path, 'hostFileVolumes'],
        mounts: definition.hostFileVolumes,
        fields: ['name', 'mountPath', 'nodePath'],
      },
    ]),
    ...permissionErrors(definition.permissions),
  ];
}

/** A rule without verbs, or with nothing that they could apply to, allows nothing. */
function permissionErrors(permissions: ChaosExperiment['spec']['definition']['permissions']): FieldError[] {
  return (permissions ?? []).flatMap(({ verbs, resources, nonResourceURLs }, index) => {
    const path = ['spec', 'definition', 'permissions', index];
    const errors: FieldError[] = [];
    if ((verbs ?? []).length === 0)
      errors.push(required([...path, 'verbs'], 'verbs must contain at least one value'));
    if ((resources ?? []).length === 0 && (nonResourceURLs ?? []).length === 0) {
      errors.push(required([...path, 'resources'], 'resource rules must supply at least one resource'));
    }
    return errors;
  });
}
