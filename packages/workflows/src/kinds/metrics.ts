/** A metric that a workflow or a template defines (`metrics.prometheus`). */
export interface PrometheusMetric {
  readonly name: string;
  readonly help?: string;
  readonly labels?: readonly { readonly key: string; readonly value: string }[];
  readonly when?: string;
  readonly gauge?: {
    readonly value: string;
    /** Shows the duration while it runs. */
    readonly realtime?: boolean;
    readonly operation?: string;
  };
  readonly counter?: { readonly value: string };
  readonly histogram?: { readonly value: string; readonly buckets?: readonly (number | string)[] };
}

export interface Metrics {
  readonly prometheus?: readonly PrometheusMetric[];
}
