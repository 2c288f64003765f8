/** Something that lasted. */
export interface Bar {
  readonly kind:
    | 'life'
    | 'unready'
    | 'chaos'
    | 'injected'
    | 'ineffective'
    | 'open'
    | 'passed'
    | 'failure'
    | 'error';
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
}

/** Something that happened. */
export interface Mark {
  readonly kind: 'step' | 'injected' | 'recovered' | 'passed' | 'failure' | 'error';
  readonly atMs: number;
  readonly label: string;
}

/** Numbers over time: times are milliseconds since the epoch. */
export interface Curve {
  readonly what: string;
  /** Empty for numbers without one. */
  readonly unit: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Range of the drawing. @default from the least value to the greatest */
  readonly scale?: { readonly min: number; readonly max: number };
}

/** Groups of lanes from top to bottom: what users see, then what was hit, then what did it, then the machinery. */
const GROUPS = ['Probes', 'Workloads', 'Targets', 'Pods', 'Experiments', 'Steps', 'Run'] as const;

/** Lanes by their groups: those of several engines of a workflow are together. Pure. */
export function inOrder(lanes: readonly Lane[]): Lane[] {
  return lanes.toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
}

/** One line of the drawing. */
export interface Lane {
  readonly group: (typeof GROUPS)[number];
  readonly name: string;
  /** The workload that it is about: `deployment shop/web`. */
  readonly of?: string;
  /** What its probe asks, in short. */
  readonly asks?: string;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  /** The measured curve, drawn below. */
  readonly curve?: Curve;
}

/** A workload as lanes call it. */
export function workloadName({
  kind,
  namespace,
  name,
}: Readonly<Record<'kind' | 'namespace' | 'name', string>>): string {
  return `${kind.toLowerCase()} ${namespace}/${name}`;
}
