/** A run and what of its experiment was run. */
interface RevisedRun {
  readonly runSequence: number;
  readonly revisionID: string;
}

/** The run before a run where its experiment was another one then; undefined where it was the same, or the run before is not among them. Pure. */
export function runOfOtherRevision<Run extends RevisedRun>(
  runs: readonly Run[],
  { runSequence, revisionID }: RevisedRun,
): Run | undefined {
  const before = runs.find((run) => run.runSequence === runSequence - 1);
  return before === undefined || before.revisionID === revisionID ? undefined : before;
}
