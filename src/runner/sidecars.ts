import { ANNOTATION_SIDECAR, type ChaosEngine, type Container, type Volume } from '../api/index.ts';
import { SkipError } from './skip.ts';

/** A container beside the experiment, with the volumes it brings. */
export interface SidecarPlan {
  readonly container: Container;
  readonly volumes: readonly Volume[];
  readonly secrets: readonly string[];
}

/**
 * The engine's sidecars, when its annotation `sidecar/enabled` is there and not "false". Pure.
 *
 * @throws SkipError that names the field of an incomplete sidecar
 */
export function planSidecars(engine: ChaosEngine, jobName: string): SidecarPlan[] {
  const enabled = engine.metadata.annotations?.[ANNOTATION_SIDECAR];
  if (enabled === undefined || enabled === '' || enabled === 'false') return [];
  return (engine.spec.components?.sidecar ?? []).map((sidecar, index) => {
    const path = `spec.components.sidecar[${index}]`;
    if (!sidecar.image) throw new SkipError('SidecarPatchError', `${path}.image: Required value`);
    const secrets = (sidecar.secrets ?? []).map(({ name, mountPath }, position) => {
      if (!name)
        throw new SkipError('SidecarPatchError', `${path}.secrets[${position}].name: Required value`);
      if (!mountPath) {
        throw new SkipError('SidecarPatchError', `${path}.secrets[${position}].mountPath: Required value`);
      }
      return { volume: `sidecar-${index}-secret-${position}`, name, mountPath };
    });
    return {
      container: {
        name: `${jobName.slice(0, 50)}-sidecar-${index + 1}`,
        image: sidecar.image,
        imagePullPolicy: sidecar.imagePullPolicy || 'IfNotPresent',
        env: [
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'MAIN_CONTAINER', value: jobName },
          ...(sidecar.env ?? []),
        ],
        ...(sidecar.envFrom === undefined ? {} : { envFrom: sidecar.envFrom }),
        ...(secrets.length === 0
          ? {}
          : { volumeMounts: secrets.map(({ volume, mountPath }) => ({ name: volume, mountPath })) }),
      },
      volumes: secrets.map(({ volume, name }) => ({ name: volume, secret: { secretName: name } })),
      secrets: secrets.map(({ name }) => name),
    };
  });
}
