import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../address/routes.ts';
import { type PastRun, scoreHistory, scoreLine } from '../../models/experiment/score-history.ts';
import { scoreWords } from '../../models/words/score.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { PastTime } from '../../parts/time/past-time.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';

type Points = ReturnType<typeof scoreHistory>;

/** The score of each of the last runs as a mark at its height, the newest at the right, with a line through them. */
export function ScoreHistory({
  project,
  runs,
}: {
  readonly project: string;
  /** The newest first. */
  readonly runs: readonly (PastRun | null)[];
}): ReactElement | null {
  const points = scoreHistory(runs);
  const scroll = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const count = points.length;
  // The newest run is in sight whenever there is another one.
  useEffect(() => {
    const box = scroll.current;
    if (box !== null) box.scrollLeft = box.scrollWidth;
  }, [count]);
  if (count === 0) return null;
  const said = points.find(({ run }) => run.runSequence === pointed) ?? points.at(-1);
  return (
    <section aria-label="Score of its last runs">
      <h2>Score of its last runs, newest right</h2>
      <div className="score-history">
        <p className="score-scale" aria-hidden="true">
          <span>100</span>
          <span>50</span>
          <span>0</span>
        </p>
        <div className="score-scroll" ref={scroll}>
          <div className="score-plot">
            <svg viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
              <polyline points={scoreLine(points)} />
            </svg>
            <ol>
              {points.map((point) => (
                <li key={point.run.runSequence}>
                  <Mark project={project} point={point} onPoint={setPointed} />
                </li>
              ))}
            </ol>
          </div>
        </div>
      </div>
      <p className="hint" aria-hidden="true">
        {said?.sentence}
      </p>
      <ScoreTable points={points} />
    </section>
  );
}

function Mark({
  project,
  point: { run, score, sentence },
  onPoint,
}: {
  readonly project: string;
  readonly point: Points[number];
  onPoint(run: number | undefined): void;
}): ReactElement {
  const mark = (
    <span className="score-mark" style={{ bottom: heightOf(score ?? 0) }}>
      <Verdict state={run.outcome.state} isBrief />
    </span>
  );
  if (run.experimentRunID === '')
    return (
      <span className="score-run" title={sentence}>
        {mark}
      </span>
    );
  return (
    <Link
      className="score-run"
      href={runPath(project, run.experimentRunID)}
      aria-label={sentence}
      title={sentence}
      onMouseEnter={() => onPoint(run.runSequence)}
      onMouseLeave={() => onPoint(undefined)}
      onFocus={() => onPoint(run.runSequence)}
      onBlur={() => onPoint(undefined)}
    >
      {mark}
    </Link>
  );
}

/** Position of a score in the plot, which has a margin of 12 pixels above and below, like the line. */
function heightOf(score: number): string {
  return `calc(12px + (100% - 24px) * ${score / 100})`;
}

/** The same for screen readers. */
function ScoreTable({ points }: { readonly points: Points }): ReactElement {
  return (
    <div className="for-readers">
      <table aria-label="Score of its last runs">
        <thead>
          <tr>
            {['Run', 'State', 'Score', 'Begun'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ run: { runSequence, outcome, createdAt } }) => (
            <tr key={runSequence}>
              <th scope="row">{runSequence}</th>
              <td>{stateWords(outcome.state).word}</td>
              <td>{scoreWords(outcome.score)}</td>
              <td>
                <PastTime ms={Number(createdAt)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
