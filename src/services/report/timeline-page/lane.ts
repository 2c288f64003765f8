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
}

/** One line of the drawing. */
export interface Lane {
  readonly group: 'Steps' | 'Run' | 'Experiments' | 'Targets' | 'Pods' | 'Probes';
  readonly name: string;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  /** The measured curve, drawn below. */
  readonly curve?: Curve;
}
