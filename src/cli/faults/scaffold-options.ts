/** The kind of a new fault, as the command line gives it. */
export interface ScaffoldOptions {
  /** Pods and nodes are reached through the API, containers by a helper on their node. */
  readonly targets: 'pods' | 'nodes' | 'containers';
  readonly shape: 'pulse' | 'sustained';
  /** Root of the checkout. @default the current folder */
  readonly dir?: string;
}

/** A file to write, by its path from the root of the project. */
export interface ScaffoldFile {
  readonly path: string;
  readonly content: string;
}

/** Names that templates are filled with. */
export interface FaultNames {
  /** `pod-freeze` */
  readonly name: string;
  /** `podFreeze` */
  readonly variable: string;
}
