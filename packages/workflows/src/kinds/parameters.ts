/** Parameters and artifacts: what templates take and give. */

interface ConfigMapKeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** Where the value of a parameter comes from. */
export interface ValueFrom {
  /** File in the container. */
  readonly path?: string;
  readonly jsonPath?: string;
  readonly jqFilter?: string;
  readonly event?: string;
  /** A tag: output of a step or task. */
  readonly parameter?: string;
  readonly expression?: string;
  /** Given by a client while the node is suspended. */
  readonly supplied?: Readonly<Record<string, never>>;
  readonly default?: string;
  readonly configMapKeyRef?: ConfigMapKeyRef;
}

export interface Parameter {
  readonly name: string;
  readonly value?: string;
  readonly default?: string;
  readonly valueFrom?: ValueFrom;
  readonly globalName?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

/** Fields of an artifact that say where it lies. `volume` is Turnsole's own: a volume of Kubernetes. */
export const ARTIFACT_LOCATIONS = [
  'raw',
  's3',
  'artifactory',
  'http',
  'git',
  'volume',
  'gcs',
  'azure',
  'oss',
  'hdfs',
  'plugin',
] as const;

/** An artifact. Its location (`s3`, `raw`, `git` …) is kept as it is: the engine copies locations and never reads them. */
export interface Artifact {
  readonly name: string;
  readonly path?: string;
  readonly from?: string;
  readonly fromExpression?: string;
  readonly subPath?: string;
  readonly optional?: boolean;
  readonly globalName?: string;
  readonly mode?: number;
  readonly raw?: { readonly data: string };
  readonly [location: string]: unknown;
}

export interface Arguments {
  readonly parameters?: readonly Parameter[];
  readonly artifacts?: readonly Artifact[];
}

export type Inputs = Arguments;

export interface Outputs {
  readonly parameters?: readonly Parameter[];
  readonly artifacts?: readonly Artifact[];
  /** What the container printed, or the body of an HTTP answer. */
  readonly result?: string;
  readonly exitCode?: string;
}
