import type { Outputs } from '@turnsole/workflows/kinds/parameters';

/** A state in which a container was last seen. */
export interface RecordedState {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface RecordedPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly initContainers: readonly (string | { readonly name: string })[];
  readonly containers: readonly (string | { readonly name: string })[];
  readonly phases: readonly string[];
  readonly containerStates: Readonly<Record<string, RecordedState>>;
  readonly statusMessage?: string;
}

/** A node as it was at the end; other nodes are named by name in place of id. */
export interface RecordedNode {
  readonly name: string;
  readonly id: string;
  readonly type: string;
  readonly phase: string;
  readonly [field: string]: unknown;
}

/** [node, phase, message], and `<workflow>` with its progress. */
export type RecordedChange = readonly [
  node: string,
  phase: string | null,
  message: string,
  progress?: string | null,
];

export interface RecordedAction {
  readonly when: { readonly node?: string; readonly phase?: string; readonly suspended?: string };
  readonly do: {
    readonly do: string;
    readonly patch?: { readonly spec?: Readonly<Record<string, unknown>> };
    readonly set?: Readonly<Record<string, string>>;
    readonly only?: string;
  };
}

/** What Argo's own controller made of a workflow. */
export interface Recording {
  readonly workflow: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: {
    readonly phase?: string;
    readonly message?: string;
    readonly progress?: string;
    readonly outputs?: Outputs;
  };
  readonly specShutdown: string | null;
  readonly nodes: readonly RecordedNode[];
  readonly pods: readonly RecordedPod[];
  readonly taskResults: readonly { readonly node: string; readonly outputs?: Outputs | null }[];
  readonly transitions: readonly { readonly ms: number; readonly changes: readonly RecordedChange[] }[];
  readonly actions?: readonly RecordedAction[];
  readonly recorderTimeoutSeconds?: number;
  readonly taskSets?: readonly {
    readonly status?: {
      readonly nodes?: Readonly<
        Record<string, { readonly phase: string; readonly message?: string; readonly outputs?: Outputs }>
      >;
    };
  }[];
}
