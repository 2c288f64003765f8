/** A pod with a log, as far as a choice depends on it. */
interface LogPod {
  readonly name: string;
  /** False: deleted. Null: unknown. */
  readonly isThere: boolean | null;
  /** Whether the end of its log is kept. */
  readonly isKept: boolean;
}

/** Whether its log can be read, as far as is known. Pure. */
export function isReadable({ isThere, isKept }: LogPod): boolean {
  return isKept || isThere !== false;
}

/**
 * The pod whose log is shown: the one that the link names, otherwise the latest that can be read for sure, or else perhaps. The runner
 * outlives the experiment, and says less than it. Undefined when none can be read, or the named one is not there. Pure.
 */
export function choosePod<Pod extends LogPod>(pods: readonly Pod[], named: string): Pod | undefined {
  if (named !== '') return pods.find(({ name }) => name === named);
  const sure = pods.filter(({ isThere, isKept }) => isKept || isThere === true);
  const readable = sure.length > 0 ? sure : pods.filter(isReadable);
  return readable.findLast(({ name }) => !name.endsWith('-runner')) ?? readable.at(-1);
}
