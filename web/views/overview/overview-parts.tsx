import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { experimentPath, listPath } from '../../address/routes.ts';
import {
  changeWords,
  type RecentExperiment,
  runSentence,
  type Strip,
  strips,
} from '../../models/overview/overview.ts';
import { PastTime } from '../../parts/time/past-time.tsx';
import { StateNow } from '../../parts/verdict/state-now.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import type { ListedRun } from '../runs/generated/runs.ts';
import { RunMark } from '../runs/run-mark.tsx';
import { RunName } from '../runs/run-name.tsx';
import type { SeenInfra } from './generated/overview.ts';

/** Active runs; nothing else has their colour. */
export function InForce({
  project,
  runs,
}: {
  readonly project: string;
  readonly runs: readonly (ListedRun | null)[];
}): ReactElement {
  const running = runs.filter((run) => run !== null).filter(({ outcome }) => outcome.word === 'Running');
  return (
    <section
      aria-label="In force now"
      className="in-force-now"
      data-state={running.length > 0 ? 'on' : 'off'}
    >
      <h2>In force now</h2>
      {running.length === 0 ? (
        <p className="hint">No chaos is in force.</p>
      ) : (
        <ul>
          {running.map((run) => (
            <li key={run.experimentRunID}>
              <RunName project={project} run={run} /> <StateNow now={run.outcome} /> on{' '}
              <bdi>{run.infra.name}</bdi>, begun <PastTime ms={Number(run.createdAt)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The last runs of each experiment as a strip of verdicts, the newest at the right; experiments that got worse first. */
export function Strips({
  project,
  experiments,
}: {
  readonly project: string;
  readonly experiments: readonly (RecentExperiment | null)[];
}): ReactElement | null {
  const all = strips(experiments.filter((one) => one !== null));
  if (all.length === 0) return null;
  return (
    <section aria-label="Last runs of each experiment">
      <h2>Last runs of each experiment</h2>
      <ul className="strips">
        {all.map((strip) => (
          <StripRow key={strip.experimentID} project={project} strip={strip} />
        ))}
      </ul>
    </section>
  );
}

function StripRow({
  project,
  strip: { experimentID, name, runs, change },
}: {
  readonly project: string;
  readonly strip: Strip;
}): ReactElement {
  return (
    <li>
      <Link href={experimentPath(project, experimentID)}>
        <bdi>{name}</bdi>
      </Link>
      <span className="strip">
        {runs.map((run) => (
          <RunMark key={run.runSequence} project={project} run={run} words={runSentence(name, run)} />
        ))}
      </span>
      <span className="hint" data-tone={change < 0 ? 'bad' : undefined}>
        {changeWords(change)}
      </span>
    </li>
  );
}

/** Infrastructures, each with its agent's last sign of life. */
export function Infras({
  project,
  infras,
}: {
  readonly project: string;
  readonly infras: readonly (SeenInfra | null)[];
}): ReactElement | null {
  if (infras.length === 0) return null;
  return (
    <section aria-label="Infrastructures">
      <h2>
        <Link href={listPath(project, 'infrastructures')}>Infrastructures</Link>
      </h2>
      <ul className="strips">
        {infras.map((infra) =>
          infra === null ? null : (
            <li key={infra.infraID}>
              <bdi>{infra.name}</bdi>
              <Verdict state={infra.isActive ? 'Connected' : 'Disconnected'} />
              <span className="hint">
                {infra.lastSeenAt === null ? (
                  'no sign of life yet'
                ) : (
                  <>
                    last sign of life <PastTime ms={Number(infra.lastSeenAt)} />
                  </>
                )}
              </span>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
