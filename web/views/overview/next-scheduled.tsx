import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { experimentPath } from '../../address/routes.ts';
import { nextRuns, type ScheduledExperiment, silentWords } from '../../models/overview/next-runs.ts';
import { FutureTime, useMinute } from '../../parts/time/future-time.tsx';

const SHOWN_RUNS = 8;

/** The next runs of schedules, the soonest first, and the number of inactive schedules. */
export function NextScheduled({
  project,
  experiments,
}: {
  readonly project: string;
  readonly experiments: readonly (ScheduledExperiment | null)[];
}): ReactElement {
  const nowMs = useMinute();
  const next = nextRuns(experiments, nowMs, SHOWN_RUNS);
  return (
    <section aria-label="Next scheduled runs">
      <h2>Next scheduled runs</h2>
      {next.runs.length === 0 ? (
        <p className="hint">No run will begin by itself.</p>
      ) : (
        <ol className="strips">
          {next.runs.map(({ experimentID, name, infra, atMs }) => (
            <li key={`${experimentID} ${atMs}`}>
              <Link href={experimentPath(project, experimentID)}>
                <bdi>{name}</bdi>
              </Link>
              <span>
                <FutureTime ms={atMs} nowMs={nowMs} />
              </span>
              <span className="hint">
                {infra === '' ? null : (
                  <>
                    on <bdi>{infra}</bdi>
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
      {silentWords(next).map((words) => (
        <p key={words} className="hint">
          {words}
        </p>
      ))}
    </section>
  );
}
