import type { Toleration } from '@turnsole/kube/kinds/core';

/** The control plane's facts about an infrastructure whose agent and components are to be installed. */
export interface Registration {
  readonly infraID: string;
  /** The secret that the agent shows. */
  readonly accessKey: string;
  readonly isConfirmed: boolean;
  readonly scope: 'namespace' | 'cluster';
  readonly namespace: string;
  /** Account of upstream's components; ours have accounts of their own. */
  readonly serviceAccount: string;
  /** Whether the namespace exists; then it is left out. */
  readonly namespaceExists: boolean;
  readonly serviceAccountExists: boolean;
  /** Time of the registration, in milliseconds since 1970. */
  readonly startTime: number;
  /** Address of the control plane's GraphQL endpoint. */
  readonly serverAddress: string;
  /** Product version, by which agents and control plane know whether they fit. */
  readonly version: string;
  readonly skipSsl: boolean;
  /** Certificate authority of the control plane, in PEM. */
  readonly ca: string | undefined;
  /** Labels of the nodes that pods may run on. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  /** Image of our components. */
  readonly image: string;
}
