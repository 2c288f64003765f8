import type { Injection } from '../../experiment/injection/fault.ts';
import type { Members } from './assaults.ts';
import type { MonkeyConfiguration } from './chaos-monkey.ts';

/** Parameters of an injection. JSON. */
export interface MonkeyParameters extends Record<string, unknown> {
  readonly port: number;
  readonly path: string;
  /** The observed incarnation of the application. */
  readonly containerId: string;
  readonly assaults: Members;
  readonly watchers: Members | undefined;
  /** How the Chaos Monkey was set before. */
  readonly before: MonkeyConfiguration;
}

/** The parameters of an injection of one of these faults. */
export function parametersOf({ parameters }: Injection): MonkeyParameters {
  // Only `plan` of these faults makes their injections.
  return parameters as MonkeyParameters;
}
