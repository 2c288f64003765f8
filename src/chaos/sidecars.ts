import type { Container, EnvVar, Volume } from '@turnsole/kube/kinds/core';
import { ANNOTATION_SIDECAR } from '../api/labels.ts';
import type { ChaosEngine } from '../api/schema/engine.ts';

/** A container beside the main one of a pod, with the volumes it brings. */
export interface SidecarPlan {
  readonly container: Container;
  readonly volumes: readonly Volume[];
  /** Names of the secrets that it mounts. */
  readonly secrets: readonly string[];
}

/** What the sidecars of a pod depend on beside the engine. */
interface SidecarPlace {
  /** The container that they stand beside; they get it as MAIN_CONTAINER. */
  readonly mainContainer: string;
  /** Name of the sidecar with this number, from 1. */
  readonly nameOf: (number: number) => string;
  /** Further variables; those of the sidecar itself win. */
  readonly env?: readonly EnvVar[];
}

/** A sidecar of the engine lacks a field; the message is the path of the field and what is wrong with it. */
export class IncompleteSidecarError extends Error {
  override readonly name = 'IncompleteSidecarError';
}

/**
 * The engine's sidecars, when its annotation `sidecar/enabled` is there and not "false". Pure. They end when they see that their
 * main container has; Kubernetes does not end them.
 *
 * @throws IncompleteSidecarError that names the field
 */
export function planSidecars(engine: ChaosEngine, place: SidecarPlace): SidecarPlan[] {
  const enabled = engine.metadata.annotations?.[ANNOTATION_SIDECAR];
  if (enabled === undefined || enabled === '' || enabled === 'false') return [];
  return (engine.spec.components?.sidecar ?? []).map((sidecar, index) => {
    const path = `spec.components.sidecar[${index}]`;
    if (!sidecar.image) throw new IncompleteSidecarError(`${path}.image: Required value`);
    const secrets = (sidecar.secrets ?? []).map(({ name, mountPath }, position) => {
      const here = `${path}.secrets[${position}]`;
      if (!name) throw new IncompleteSidecarError(`${here}.name: Required value`);
      if (!mountPath) throw new IncompleteSidecarError(`${here}.mountPath: Required value`);
      return { volume: `sidecar-${index}-secret-${position}`, name, mountPath };
    });
    return {
      container: {
        name: place.nameOf(index + 1),
        image: sidecar.image,
        imagePullPolicy: sidecar.imagePullPolicy || 'IfNotPresent',
        env: lastOfEachName([
          { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
          { name: 'MAIN_CONTAINER', value: place.mainContainer },
          ...(place.env ?? []),
          ...(sidecar.env ?? []),
        ]),
        envFrom: sidecar.envFrom,
        ...(secrets.length === 0
          ? {}
          : { volumeMounts: secrets.map(({ volume, mountPath }) => ({ name: volume, mountPath })) }),
      },
      volumes: secrets.map(({ volume, name }) => ({ name: volume, secret: { secretName: name } })),
      secrets: secrets.map(({ name }) => name),
    };
  });
}

function lastOfEachName(env: readonly EnvVar[]): EnvVar[] {
  return [...new Map(env.map((variable) => [variable.name, variable])).values()];
}
