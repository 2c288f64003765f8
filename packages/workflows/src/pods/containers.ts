import type { Container, EnvVar, VolumeMount } from '@turnsole/kube/kinds/core';
import type { Template, TemplateContainer } from '../kinds/template.ts';
import { PodError } from './pod-error.ts';

/** A container of a pod's own program, as its template has it. */
export interface MainContainer {
  readonly container: Container;
  /** Containers of the same set that have to end well before it. */
  readonly after: readonly string[];
}

/** The program of a script, as a file. */
export const SCRIPT_SOURCE_PATH = '/argo/staging/script';

/** The containers that do what the node is there for, of an image of others; none for `resource` and `data`. */
export function mainContainers(template: Template, defaults: Partial<Container> = {}): MainContainer[] {
  const { container, script, containerSet } = template;
  if (container !== undefined) return [{ container: named(container, 'main', defaults), after: [] }];
  if (script !== undefined) {
    const { source, ...rest } = script;
    // Without a source it is a container like any other.
    if (source === undefined || source === '')
      return [{ container: named(rest, 'main', defaults), after: [] }];
    const args = [...(script.args ?? []), SCRIPT_SOURCE_PATH];
    return [{ container: named({ ...rest, args }, 'main', defaults), after: [] }];
  }
  return (containerSet?.containers ?? []).map(({ dependencies = [], ...rest }) => {
    const { volumeMounts: _own, ...own } = named(rest, rest.name, rest.name === 'main' ? defaults : {});
    const volumeMounts = [...(rest.volumeMounts ?? []), ...(containerSet?.volumeMounts ?? [])];
    return { container: { ...own, ...(volumeMounts.length > 0 && { volumeMounts }) }, after: dependencies };
  });
}

function named(template: TemplateContainer, name: string, defaults: Partial<Container>): Container {
  const { mirrorVolumeMounts: _mirror, ...container } = template;
  const env = [...(defaults.env ?? []), ...(container.env ?? [])];
  return { ...defaults, ...container, name, ...(env.length > 0 && { env }) };
}

/**
 * Init containers or sidecars of a template; those that ask for it have the mounts of main besides their own.
 *
 * @throws PodError for a name that the engine takes for its own
 */
export function sideContainers(
  containers: readonly TemplateContainer[] | undefined,
  mounts: readonly VolumeMount[],
): Container[] {
  return (containers ?? []).map((template) => {
    const { name = '', mirrorVolumeMounts = false } = template;
    const container = named(template, name, {});
    if (RESERVED.has(name))
      throw new PodError(`a container may not be named ${name}: the name is of the engine's own`);
    return mirrorVolumeMounts ? withMounts(container, mounts) : container;
  });
}

const RESERVED: ReadonlySet<string> = new Set(['init', 'wait', 'main']);

/** The container with more mounts, but for paths where it has its own. */
export function withMounts(container: Container, mounts: readonly VolumeMount[]): Container {
  const own = container.volumeMounts ?? [];
  const taken = new Set(own.map(({ mountPath }) => mountPath));
  const added = mounts.filter(({ mountPath }) => !taken.has(mountPath));
  return added.length === 0 ? container : { ...container, volumeMounts: [...own, ...added] };
}

/** Environment that users' programs go by. Before their own variables, which may refer to it. */
export function withStepEnv(container: Container, env: readonly EnvVar[]): Container {
  const own = new Set((container.env ?? []).map(({ name }) => name));
  const added = [{ name: 'ARGO_CONTAINER_NAME', value: container.name }, ...env];
  return { ...container, env: [...added.filter(({ name }) => !own.has(name)), ...(container.env ?? [])] };
}
