import type { Container, Pod } from '@turnsole/kube/kinds/core';
import type { ContainerLaunch, LaunchMount } from '../runtime/types.ts';

/** A container whose references are resolved. */
export interface LaunchSubject {
  readonly pod: Pod;
  readonly container: Container;
  /** Its own variables, for `$(NAME)` in its command. */
  readonly variables: ReadonlyMap<string, string>;
  readonly mounts: readonly LaunchMount[];
}

/** What a container has of its image. */
export interface LaunchParts
  extends Pick<ContainerLaunch, 'command' | 'workingDirectory' | 'root' | 'temp' | 'stopSignal'> {
  /** Variables that every other one wins over. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** Those of the image, over which the pod's win. */
  readonly imageEnv: Readonly<Record<string, string>>;
}
