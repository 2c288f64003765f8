import type { EnvFromSource, EnvVar, Volume } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment, CmdProbeSource, EngineExperiment } from '../../api/index.ts';
import { planSidecars } from '../../chaos/experiments/plan-sidecars.ts';
import { type PlanPaths, planVolumes } from '../../chaos/experiments/plan-volumes.ts';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import type { FaultDependency } from '../../experiment/injection/fault.ts';

/** Something that has to exist before a run, or else a pod of the run does not start. */
export interface Dependency {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim' | 'Image';
  /** Absent for an image. */
  readonly namespace?: string;
  readonly name: string;
  /** Key that is read of a config map or secret; absent: all of it. */
  readonly key?: string;
  /** What needs it, as the path of the field. */
  readonly field: string;
  /** Variable that names it. */
  readonly setting?: string;
  /** A missing config map is created, because its content is given. */
  readonly created?: true;
}

/** What an engine and its experiments need, and problems where their spec cannot be read. */
interface Dependencies {
  readonly needed: readonly Dependency[];
  /** Fields that keep the runner from making the pod; messages name them. */
  readonly problems: readonly string[];
}

type Found = Omit<Dependency, 'namespace'>;

/** What the runner's pod needs. Pure. */
export function runnerDependencies({ spec, metadata }: ChaosEngine, defaultImage: string): Dependency[] {
  const runner = spec.components?.runner ?? {};
  const path = 'spec.components.runner';
  const mounted = (kind: 'ConfigMap' | 'Secret', list: readonly { name?: string }[] | null | undefined) =>
    (list ?? []).flatMap(({ name }, index): Found[] =>
      name
        ? [{ kind, name, field: `${path}.${kind === 'Secret' ? 'secrets' : 'configMaps'}[${index}]` }]
        : [],
    );
  const found = [
    { kind: 'Image', name: runner.image || defaultImage, field: `${path}.image` } as const,
    ...mounted('ConfigMap', runner.configMaps),
    ...mounted('Secret', runner.secrets),
  ];
  return inNamespace(found, metadata.namespace);
}

/** What the pod of one experiment needs: image, mounts, variables, sidecars, pods of its probes. Pure. */
export function experimentDependencies(
  engine: ChaosEngine,
  experiment: ChaosExperiment,
  entry: EngineExperiment,
  index: number,
): Dependencies {
  const { definition } = experiment.spec;
  const entryPath = `spec.experiments[${index}].spec.components`;
  const base = `ChaosExperiment ${experiment.metadata.name}: spec.definition`;
  const components = entry.spec?.components;
  const image = components?.experimentImage || definition.image || '';
  const problems: string[] = [];
  const read = <T>(action: () => T[]): T[] => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof SkipError)) throw error;
      problems.push(error.message);
      return [];
    }
  };
  const found: Found[] = [
    ...(image === '' ? [] : [{ kind: 'Image', name: image, field: `${entryPath}.experimentImage` } as const]),
    ...read(() =>
      volumeDependencies(experiment, entry, { experiment: experiment.metadata.name, entry: entryPath }),
    ),
    ...variables(definition.env, `${base}.env`),
    ...variables(components?.env, `${entryPath}.env`),
    ...read(() => sidecarDependencies(engine)),
    ...(entry.spec?.probe ?? []).flatMap((probe, position) => {
      const source = probe['cmdProbe/inputs']?.source;
      const path = `spec.experiments[${index}].spec.probe[${position}].cmdProbe/inputs.source`;
      return source === undefined ? [] : sourceDependencies(source, path);
    }),
  ];
  if (image === '') {
    problems.push(`${base}.image: Required value; or set experimentImage in the engine`);
  }
  return { needed: inNamespace(found, engine.metadata.namespace), problems };
}

/** What pods need that a fault puts up itself. Pure. */
export function faultDependencies(
  needed: readonly FaultDependency[],
  namespace: string | undefined,
  index: number,
): Dependency[] {
  const field = `spec.experiments[${index}].spec.components.env`;
  return inNamespace(
    needed.map((one) => ({ ...one, field })),
    namespace,
  );
}

/** Looks for namespaced objects in the engine's namespace; each once, at its first field. */
function inNamespace(found: readonly Found[], namespace = ''): Dependency[] {
  const unique = new Map<string, Dependency>();
  for (const one of found) {
    const identity = [one.kind, one.name, one.key ?? ''].join(' ');
    if (!unique.has(identity)) unique.set(identity, one.kind === 'Image' ? one : { ...one, namespace });
  }
  return [...unique.values()];
}

function volumeDependencies(experiment: ChaosExperiment, entry: EngineExperiment, paths: PlanPaths): Found[] {
  const { configMaps, secrets } = planVolumes(experiment.spec.definition, entry, paths);
  return [
    ...configMaps.map(
      ({ name, data }): Found => ({
        kind: 'ConfigMap',
        name,
        field: `${paths.entry}.configMaps`,
        ...(data === undefined ? {} : { created: true }),
      }),
    ),
    ...secrets.map((name): Found => ({ kind: 'Secret', name, field: `${paths.entry}.secrets` })),
  ];
}

function sidecarDependencies(engine: ChaosEngine): Found[] {
  // The name of the Job only becomes part of containers' names.
  return planSidecars(engine, 'job').flatMap(({ container, secrets }, index) => {
    const path = `spec.components.sidecar[${index}]`;
    return [
      { kind: 'Image', name: container.image ?? '', field: `${path}.image` } as const,
      ...secrets.map((name) => ({ kind: 'Secret', name, field: `${path}.secrets` }) as const),
      ...variables(container.env, `${path}.env`),
      ...variableSources(container.envFrom, `${path}.envFrom`),
    ];
  });
}

function sourceDependencies({ image, env, volumes }: CmdProbeSource, path: string): Found[] {
  return [
    { kind: 'Image', name: image, field: `${path}.image` },
    ...variables(env, `${path}.env`),
    ...volumeSources(volumes, `${path}.volumes`),
  ];
}

function variables(env: readonly EnvVar[] | null | undefined, path: string): Found[] {
  return (env ?? []).flatMap(({ valueFrom }, index) => {
    const field = `${path}[${index}].valueFrom`;
    return [
      ...keyOf('ConfigMap', valueFrom?.configMapKeyRef, field),
      ...keyOf('Secret', valueFrom?.secretKeyRef, field),
    ];
  });
}

interface KeyReference {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

function keyOf(kind: 'ConfigMap' | 'Secret', reference: KeyReference | undefined, field: string): Found[] {
  if (reference?.name === undefined || reference.optional === true) return [];
  const { name, key } = reference;
  return [{ kind, name, field, key }];
}

function variableSources(sources: readonly EnvFromSource[] | null | undefined, path: string): Found[] {
  return (sources ?? []).flatMap(({ configMapRef, secretRef }, index) => [
    ...keyOf('ConfigMap', configMapRef, `${path}[${index}]`),
    ...keyOf('Secret', secretRef, `${path}[${index}]`),
  ]);
}

function volumeSources(volumes: readonly Volume[] | null | undefined, path: string): Found[] {
  return (volumes ?? []).flatMap(({ configMap, secret, persistentVolumeClaim }, index): Found[] => {
    const field = `${path}[${index}]`;
    const ofSecret =
      secret?.secretName === undefined
        ? undefined
        : { name: secret.secretName, optional: secret.optional === true };
    return [
      ...keyOf('ConfigMap', configMap, field),
      ...keyOf('Secret', ofSecret, field),
      ...(persistentVolumeClaim === undefined
        ? []
        : [{ kind: 'PersistentVolumeClaim', name: persistentVolumeClaim.claimName, field } as const]),
    ];
  });
}
