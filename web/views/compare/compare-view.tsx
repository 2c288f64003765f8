import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import { COMPARE_ADDRESS } from '../../address/compare.ts';
import { runPath } from '../../address/routes.ts';
import { plainText } from '../../models/words/plain.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { previousRun } from '../run/compare-link.tsx';
import { RUNS_OF_EXPERIMENT, type ShownRun } from '../run/generated/run.ts';
import { readRun, runModel } from '../run/run-model.ts';
import { useRun } from '../run/use-run.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { ChooseRun } from './choose-run.tsx';
import { Compared, type ComparedSide } from './compared.tsx';

const NO_RUN = <Notice title="Run not found" />;

/** Two runs of a project side by side. The first one defaults to the run before the second. */
export function CompareView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(COMPARE_ADDRESS);
  const second = useRun(project, state.b);
  useTitle('Two runs');
  return (
    <article className="run">
      <h1>Two runs side by side</h1>
      <StateView view={second} what="the second run" empty={NO_RUN}>
        {({ getExperimentRun: run }) => (
          <WithChoices
            project={project}
            a={state.a}
            run={run}
            onChoose={(sides, how) => change({ ...sides, mark: undefined, t: undefined }, how)}
          />
        )}
      </StateView>
    </article>
  );
}

function WithChoices({
  project,
  a,
  run,
  onChoose,
}: {
  readonly project: string;
  readonly a: string;
  readonly run: ShownRun;
  onChoose(sides: { readonly a?: string; readonly b?: string }, how: 'push' | 'replace'): void;
}): ReactElement {
  const variables = { projectID: project, experimentID: run.experimentID };
  const view = useAsk(RUNS_OF_EXPERIMENT, variables);
  const runs = view.state === 'shown' ? view.data.listExperimentRun.experimentRuns : [];
  const before = previousRun(runs, run)?.experimentRunID;
  const first = a === '' ? before : a;
  const choices = runs.flatMap((one) =>
    one === null || one.experimentRunID === ''
      ? []
      : [{ id: one.experimentRunID, words: `run ${one.runSequence}, ${stateWords(one.outcome.state).word}` }],
  );
  return (
    <>
      <div className="choose">
        <ChooseRun
          letter="A"
          value={first ?? ''}
          choices={choices}
          onChoose={(id) => onChoose({ a: id }, 'push')}
        />
        <ChooseRun
          letter="B"
          value={run.experimentRunID}
          choices={choices}
          onChoose={(id) => onChoose({ b: id, ...(first !== undefined && { a: first }) }, 'push')}
        />
      </div>
      {first === undefined ? (
        <StateView view={view} what="the runs">
          {() => (
            <Notice
              title="There is no run before this one"
              text="Choose the run to compare it with, or run the experiment again."
            />
          )}
        </StateView>
      ) : (
        <Both project={project} a={first} b={run} />
      )}
    </>
  );
}

function Both({
  project,
  a,
  b,
}: {
  readonly project: string;
  readonly a: string;
  readonly b: ShownRun;
}): ReactElement {
  const first = useRun(project, a);
  return (
    <StateView view={first} what="the first run" empty={NO_RUN}>
      {({ getExperimentRun }) => <Shown project={project} a={getExperimentRun} b={b} />}
    </StateView>
  );
}

function Shown({
  project,
  a,
  b,
}: {
  readonly project: string;
  readonly a: ShownRun;
  readonly b: ShownRun;
}): ReactElement {
  const isSameExperiment = a.experimentID === b.experimentID;
  const one = useMemo(() => sideOf(project, a, isSameExperiment), [project, a, isSameExperiment]);
  const other = useMemo(() => sideOf(project, b, isSameExperiment), [project, b, isSameExperiment]);
  return <Compared a={one} b={other} />;
}

function sideOf(project: string, run: ShownRun, isSameExperiment: boolean): ComparedSide {
  const { axis, isRunning } = runModel(readRun(run), Date.now());
  const sequence = `run ${run.runSequence}`;
  return {
    run: {
      name: isSameExperiment ? sequence : plainText(`${run.experimentName} ${sequence}`),
      state: run.outcome.state,
      isRunning,
      axis,
    },
    link: (
      <Link href={runPath(project, run.experimentRunID)}>
        <bdi>{plainText(run.experimentName)}</bdi> · {sequence}
      </Link>
    ),
  };
}
