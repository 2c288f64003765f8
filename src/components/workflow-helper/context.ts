import type { KubeClient } from '@turnsole/kube/client/types';
import type { Environment } from '@turnsole/kube/text/environment';
import type { ReadSecret } from './artifacts/store.ts';
import type { Places } from './places.ts';

/** What the programs of a node work with. */
export interface HelperContext {
  readonly places: Places;
  readonly env: Environment;
  readonly secrets: ReadSecret;
  /** Prints a line for people. */
  readonly say: (line: string) => void;
  /** Prints a text as it is, for the controller. */
  readonly print: (text: string) => void;
  /** @default that of the pod's service account */
  readonly client?: KubeClient;
  /** Aborted when the program gets a stop signal. */
  readonly signal: AbortSignal;
}
