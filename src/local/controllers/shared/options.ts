/** What may be set about the controllers. Durations of Kubernetes are the defaults where people rely on them. */
export interface ControllerOptions {
  /** A node without a lease renewal for this long is taken for lost. @default 40_000 */
  readonly nodeGraceMs?: number;
  /** Wait before a job replaces a failed pod, doubling with each failure. @default 10_000 */
  readonly jobBackoffMs?: number;
  /** Longest such wait. @default 600_000 */
  readonly jobMaxBackoffMs?: number;
  /** Finished pods that are kept; more are removed, oldest first. @default 12_500 */
  readonly finishedPodLimit?: number;
  /** Time from one decision of a horizontal pod autoscaler to the next. @default 5_000 */
  readonly autoscalerPeriodMs?: number;
  /** Certificate authority of the API server (PEM) for the config map kube-root-ca.crt. @default none, no config map */
  readonly certificateAuthority?: string;
}

/** The options with all defaults filled in; only the certificate authority may be absent. */
export type CompiledControllerOptions = Required<Omit<ControllerOptions, 'certificateAuthority'>> & {
  readonly certificateAuthority: string | undefined;
};

const DEFAULTS = {
  nodeGraceMs: 40_000,
  jobBackoffMs: 10_000,
  jobMaxBackoffMs: 600_000,
  finishedPodLimit: 12_500,
  autoscalerPeriodMs: 5_000,
} as const;

/** All options with their defaults. Throws RangeError for a number below 0, naming the option. */
export function compileControllerOptions(options: ControllerOptions): CompiledControllerOptions {
  const compiled = { ...DEFAULTS, certificateAuthority: undefined, ...options };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = compiled[name];
    if (!(value >= 0)) {
      throw new RangeError(`controller option ${name} must be a number that is not negative, found ${value}`);
    }
  }
  return compiled;
}
