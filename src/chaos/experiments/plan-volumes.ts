import type { Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type { EngineExperiment, ExperimentDefinition } from '../../api/index.ts';
import { SkipError } from './skip-error.ts';

/** A config map that an experiment needs. */
interface NeededConfigMap {
  readonly name: string;
  /** Content for when it is missing. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Volumes of an experiment and what has to exist for them. */
export interface VolumePlan {
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
  readonly configMaps: readonly NeededConfigMap[];
  readonly secrets: readonly string[];
}

/** Where the parts of a plan stand, for messages. */
export interface PlanPaths {
  readonly experiment: string;
  /** Path of the entry's components in the engine. */
  readonly entry: string;
}

interface Mount {
  readonly name?: string;
  readonly mountPath?: string;
}

/**
 * Config maps, secrets and files of the node that an experiment mounts. A config map or secret that both name is mounted
 * where the engine says; others of the engine come after those of the definition. Pure.
 *
 * @throws SkipError that names the field of an entry that lacks its name, mountPath or nodePath
 */
export function planVolumes(
  definition: ExperimentDefinition,
  entry: EngineExperiment,
  { experiment, entry: entryPath }: PlanPaths,
): VolumePlan {
  const base = `ChaosExperiment ${experiment}: spec.definition`;
  const components = entry.spec?.components;
  const configMaps = overlay(
    complete(definition.configMaps, `${base}.configMaps`),
    complete(components?.configMaps, `${entryPath}.configMaps`),
  );
  const secrets = overlay(
    complete(definition.secrets, `${base}.secrets`),
    complete(components?.secrets, `${entryPath}.secrets`),
  );
  const hostFiles = complete(definition.hostFileVolumes, `${base}.hostFileVolumes`, ['nodePath']);
  // Named by kind and position: the name of a config map may be longer than, or no name for, a volume.
  const sources: readonly (readonly [Mount, Volume])[] = [
    ...configMaps.map((mount, index): [Mount, Volume] => [
      mount,
      { name: `config-map-${index}`, configMap: { name: mount.name } },
    ]),
    ...secrets.map((mount, index): [Mount, Volume] => [
      mount,
      { name: `secret-${index}`, secret: { secretName: mount.name } },
    ]),
    ...hostFiles.map((mount, index): [Mount, Volume] => [
      mount,
      {
        name: `host-file-${index}`,
        hostPath: { path: mount.nodePath ?? '', ...(mount.type ? { type: mount.type } : {}) },
      },
    ]),
  ];
  return {
    volumes: sources.map(([, volume]) => volume),
    mounts: sources.map(([mount, volume]) => ({ name: volume.name, mountPath: mount.mountPath ?? '' })),
    configMaps: configMaps.map(({ name, data }) => ({ name, ...(data ? { data } : {}) })),
    secrets: secrets.map(({ name }) => name),
  };
}

/** Checks that every entry has its name, its mountPath and the further fields named. */
function complete<T extends Mount>(
  mounts: readonly T[] | null | undefined,
  path: string,
  further: readonly (keyof T & string)[] = [],
): (T & { name: string; mountPath: string })[] {
  return (mounts ?? []).map((mount, index) => {
    for (const field of ['name', 'mountPath', ...further]) {
      // Widened to look a field up by name.
      if (!(mount as Readonly<Record<string, unknown>>)[field]) {
        throw new SkipError('ExperimentDependencyCheck', `${path}[${index}].${field}: Required value`);
      }
    }
    return { ...mount, name: mount.name ?? '', mountPath: mount.mountPath ?? '' };
  });
}

function overlay<T extends { name: string }>(below: readonly T[], above: readonly T[]): T[] {
  const replaced = below.map((mount) => ({ ...mount, ...above.find(({ name }) => name === mount.name) }));
  const added = above.filter(({ name }) => !below.some((mount) => mount.name === name));
  return [...replaced, ...added];
}
