import type { Container, PodStatus } from '@turnsole/kube/kinds/core';
import type { SandboxState } from './observed.ts';

/** What carries out the decisions about one pod: with processes and folders, or as a change of state alone. */
export interface PodEffects {
  /** Grace of a pod whose object was removed at once. */
  readonly forcedGraceMs: number;
  /** The sandbox as it is. @param isEnding whether the pod is to go or has failed */
  observeSandbox(isEnding: boolean): SandboxState;
  makeSandbox(): void;
  removeSandbox(): void;
  startContainer(name: string): void;
  /** @param why for the Event; that the container is stopped where none is given */
  stopContainer(name: string, deadlineMs: number, why?: string): void;
  /** Gives the run of a container other limits, as far as they are enforced. Throws what keeps it from them. */
  resizeContainer(container: Container): void;
  /** Has the status written unless it is what was written last. */
  offerStatus(status: PodStatus): void;
  /** Removes the pod's object, after its last status: components that count finished pods rely on that. */
  deleteObject(): void;
  /** Nothing of the pod is left. */
  forget(): void;
}
