/** The parts of a ChaosResult's name. */
interface ResultIdentity {
  /** Absent for an experiment that runs without an engine. */
  readonly engine?: string | undefined;
  readonly experiment: string;
  /** INSTANCE_ID. */
  readonly instanceId?: string | undefined;
}

/** `<engine>-<experiment>[-<instanceId>]`, without an engine `<experiment>[-<instanceId>]`; the form is upstream's. Pure. */
export function resultNameOf({ engine, experiment, instanceId }: ResultIdentity): string {
  return [engine, experiment, instanceId].filter((part) => part !== undefined && part !== '').join('-');
}
