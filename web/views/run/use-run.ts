import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { RUN, RUN_CHANGES } from './generated/run.ts';

/** A run of a project, now and after each change, and how the page is connected. */
export function useRun(projectID: string, runID: string) {
  const variables = { projectID, runID };
  const view = useAsk(RUN, variables);
  const connection = useFollow(
    { document: RUN, variables },
    { document: RUN_CHANGES, variables },
    ({ watchRun }) => ({ answer: { getExperimentRun: watchRun } }),
  );
  return { ...view, connection };
}
