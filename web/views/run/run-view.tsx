import { type ReactElement, useEffect, useMemo } from 'react';
import { RUN_ADDRESS } from '../../address/run.ts';
import type { Connection } from '../../models/live/connection.ts';
import { durationWords } from '../../models/words/duration.ts';
import { scoreWords } from '../../models/words/score.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice, Panel } from '../../parts/panel/panel.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { AbortButton } from './abort.tsx';
import { AxisPanel } from './axis-panel.tsx';
import './run.css';
import { runModel } from './run-model.ts';
import { RUN, RUN_CHANGES, type ShownRun, STOP } from './run-query.ts';
import { StepDetail } from './step-detail.tsx';
import { StepsPanel } from './steps-panel.tsx';

/** One run: what came of it, why, and what happened when. */
export function RunView({ project, run }: { readonly project: string; readonly run: string }): ReactElement {
  const variables = { projectID: project, runID: run };
  const view = useAsk(RUN, variables, () => false);
  const connection = useFollow(
    { document: RUN, variables },
    { document: RUN_CHANGES, variables },
    ({ watchRun }) => ({ answer: { getExperimentRun: watchRun } }),
  );
  return (
    <StateView view={view} what="this run" empty={<Notice title="There is no such run" />}>
      {(data) => (
        <Shown run={data.getExperimentRun} project={project} connection={connection} refresh={view.retry} />
      )}
    </StateView>
  );
}

function Shown({
  run,
  project,
  connection,
  refresh,
}: {
  readonly run: ShownRun;
  readonly project: string;
  readonly connection: Connection;
  refresh(): void;
}): ReactElement {
  const { state: address, problems, change } = useAddress(RUN_ADDRESS);
  // A new answer is a new moment; drawing anew for another reason is not.
  const [model, readAt] = useMemo(() => {
    const now = Date.now();
    return [runModel(run, now), now] as const;
  }, [run]);
  useEffect(() => {
    document.title = `${run.experimentName} · run ${run.runSequence} · Turnsole`;
  }, [run]);
  return (
    <article className="run">
      <header className="run-head">
        <div>
          <h1>
            <bdi>{run.experimentName}</bdi> <span className="quiet">· run {run.runSequence}</span>
          </h1>
          <p className="facts">
            <Live connection={connection} />
            <Verdict state={run.phase} />
            <span>{durationWords(model.durationMs)}</span>
            <span>score {scoreWords(run.phase, run.resiliencyScore)}</span>
            <span>
              on <bdi>{run.infra.name}</bdi>
            </span>
            {model.isRunning && connection.state !== 'live' ? (
              <span className="quiet">
                as of {new Date(readAt).toLocaleTimeString()}{' '}
                <button type="button" className="link" onClick={refresh}>
                  Refresh
                </button>
              </span>
            ) : null}
          </p>
        </div>
        {model.isRunning ? (
          <AbortButton
            question={STOP}
            variables={{ projectID: project, experimentID: run.experimentID, runID: run.experimentRunID }}
            inForce={model.inForce}
            onDone={refresh}
          />
        ) : null}
      </header>
      <p className="why">{model.sentence}</p>
      {problems.map((problem) => (
        <p key={problem} className="hint" role="status">
          {problem}
        </p>
      ))}
      <div className="run-body" data-steps={address.steps}>
        <StepsPanel model={model} address={address} change={change} />
        <div>
          <Panel name="The time axis">
            <AxisPanel
              model={model}
              address={address}
              change={change}
              onOpen={(mark) => change({ mark, step: stepOf(model, mark) }, 'push')}
            />
            {model.axis.isExact ? null : (
              <p className="hint">
                Times are those of the agent, to the second, and of steps only: targets and probes are drawn
                for as long as their step was at work.
              </p>
            )}
          </Panel>
        </div>
      </div>
      <StepDetail step={model.steps[address.step ?? -1]} run={run} address={address} change={change} />
    </article>
  );
}

/** The step that a mark belongs to: the one whose time holds it and whose name its lane names, or the first whose time does. */
function stepOf({ axis, steps }: ReturnType<typeof runModel>, id: number): number | undefined {
  const mark = axis.marks[id];
  if (mark === undefined) return undefined;
  const name = axis.lanes[mark.lane]?.name ?? '';
  const atMs = axis.startMs + mark.startMs;
  const holds = steps.map(
    ({ startMs, endMs }) => (startMs ?? Infinity) <= atMs && (endMs ?? Infinity) >= atMs,
  );
  const byName = steps.findIndex(
    (step, index) =>
      holds[index] === true &&
      (name.endsWith(step.name) || name.endsWith(step.engine?.experiment || step.name)),
  );
  const found = byName >= 0 ? byName : holds.indexOf(true);
  return found >= 0 ? found : undefined;
}
