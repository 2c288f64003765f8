/** A run and the revision of its experiment. */
interface RevisedRun {
  readonly runSequence: number;
  readonly revisionID: string;
}

/** The run before a run if its experiment had another revision; undefined if it was the same, or the previous run is not in the list. Pure. */
export function runOfOtherRevision<Run extends RevisedRun>(
  runs: readonly Run[],
  { runSequence, revisionID }: RevisedRun,
): Run | undefined {
  const before = runs.find((run) => run.runSequence === runSequence - 1);
  return before === undefined || before.revisionID === revisionID ? undefined : before;
}
