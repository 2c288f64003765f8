import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import type { ExperimentSchedule } from '../../../src/controlplane/schema/generated/types.ts';
import { listPath } from '../../address/routes.ts';
import { cronWords } from '../../models/words/schedule.ts';
import { PastTime } from '../../parts/time/past-time.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { NextTimes } from '../studio/next-times.tsx';
import { ChaosScheduleTimes } from './chaos-schedule.tsx';
import type { ShownExperiment } from './generated/experiment.ts';

/** Facts about an experiment beside its runs. */
export function ExperimentFacts({
  project,
  experiment: { experimentID, infra, tags, schedule, createdAt, createdBy, updatedAt, updatedBy },
  score,
}: {
  readonly project: string;
  readonly experiment: ShownExperiment;
  /** Mean score of its finished runs; null before the first run. */
  readonly score: number | null;
}): ReactElement {
  return (
    <dl className="experiment-facts">
      <Fact name="Infrastructure">
        {infra === null ? (
          'none that is there'
        ) : (
          <>
            <Link href={listPath(project, 'infrastructures')}>
              <bdi>{infra.name}</bdi>
            </Link>{' '}
            <Verdict state={infra.isActive ? 'Connected' : 'Disconnected'} />
          </>
        )}
      </Fact>
      <Fact name="Schedule">
        {schedule === null ? (
          'runs only when it is asked for'
        ) : (
          <Schedule project={project} experiment={experimentID} schedule={schedule} />
        )}
      </Fact>
      {score === null ? null : <Fact name="Mean score">{score}</Fact>}
      {tags === null || tags.length === 0 ? null : (
        <Fact name="Tags">
          <ul className="experiment-tags">
            {tags.map((tag) => (
              <li key={tag}>
                <bdi>{tag}</bdi>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name="Changed">
        <PastTime ms={Number(updatedAt)} /> {updatedBy === null ? '' : <By name={updatedBy.username} />}
      </Fact>
      <Fact name="Made">
        <PastTime ms={Number(createdAt)} /> {createdBy === null ? '' : <By name={createdBy.username} />}
      </Fact>
    </dl>
  );
}

function By({ name }: { readonly name: string }): ReactElement {
  return (
    <>
      by <bdi>{name}</bdi>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Schedule({
  project,
  experiment,
  schedule: { cron, timezone, isSuspended, isBegun },
}: {
  readonly project: string;
  readonly experiment: string;
  readonly schedule: ExperimentSchedule;
}): ReactElement {
  const isActive = isBegun && !isSuspended;
  const state = isBegun ? (isSuspended ? 'It is suspended.' : '') : 'It has not been started.';
  return (
    <>
      {cron.length === 0 ? (
        <ChaosScheduleTimes project={project} experiment={experiment} isActive={isActive} />
      ) : (
        `${cron.map(cronWords).join(', and ')}, ${timezone === '' ? 'by the clocks of the cluster' : timezone}`
      )}
      {state === '' ? null : <p className="hint">{state}</p>}
      {isActive && cron.length > 0 ? <NextTimes crons={cron} timezone={timezone} /> : null}
    </>
  );
}
