import { type ReactElement, useMemo } from 'react';
import { Link } from 'wouter';
import type { ExperimentDetails } from '../../../src/services/report/run-details.ts';
import { COMPARE_ADDRESS } from '../../address/compare.ts';
import { runPath } from '../../address/routes.ts';
import { comparableRuns, previousObject } from '../../models/run/previous-object.ts';
import { watchedObject } from '../../models/run/watched.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { plainText } from '../../models/words/plain.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { CLUSTER_OBJECT_LIST } from '../cluster/generated/cluster.ts';
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

const NO_VARIABLES = {};
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
        {({ getExperimentRun: run }) => {
          const Choices = watchedObject(run.experimentRunID) === undefined ? OfExperiment : OfCluster;
          return (
            <Choices
              project={project}
              a={state.a}
              run={run}
              onChoose={(sides) => change({ ...sides, mark: undefined, t: undefined }, 'push')}
            />
          );
        }}
      </StateView>
    </article>
  );
}

interface ChoicesProps {
  readonly project: string;
  /** Of the link; empty for the run before. */
  readonly a: string;
  readonly run: ShownRun;
  onChoose(sides: { readonly a?: string; readonly b?: string }): void;
}

/** The runs of the same experiment. */
function OfExperiment(props: ChoicesProps): ReactElement {
  const { project, run } = props;
  const view = useAsk(RUNS_OF_EXPERIMENT, { projectID: project, experimentID: run.experimentID });
  const runs = knownData(view)?.listExperimentRun.experimentRuns ?? [];
  const choices = runs.flatMap((one) =>
    one === null || one.experimentRunID === ''
      ? []
      : [{ id: one.experimentRunID, words: `run ${one.runSequence}, ${stateWords(one.outcome.state).word}` }],
  );
  return (
    <WithChoices
      {...props}
      isReady={knownData(view) !== undefined}
      choices={choices}
      before={previousRun(runs, run)?.experimentRunID}
    />
  );
}

/** The runs of the watched cluster: those of one experiment are known by their names and faults. */
function OfCluster(props: ChoicesProps): ReactElement {
  const { run } = props;
  const view = useAsk(CLUSTER_OBJECT_LIST, NO_VARIABLES);
  const objects = knownData(view)?.listClusterObjects ?? [];
  const own = objects.find(({ id }) => id === run.experimentRunID);
  const choices = comparableRuns(objects).map(({ id, kind, namespace, name, state }) => ({
    id,
    words: `${namespace}/${name} (${kind}), ${stateWords(state).word}`,
  }));
  const before = own === undefined ? undefined : previousObject(objects, own)?.id;
  return <WithChoices {...props} isReady={knownData(view) !== undefined} choices={choices} before={before} />;
}

function WithChoices({
  project,
  a,
  run,
  isReady,
  choices,
  before,
  onChoose,
}: ChoicesProps & {
  /** Whether the choices are known. */
  readonly isReady: boolean;
  readonly choices: Parameters<typeof ChooseRun>[0]['choices'];
  readonly before: string | undefined;
}): ReactElement {
  const first = a === '' ? before : a;
  return (
    <>
      <div className="choose">
        <ChooseRun letter="A" value={first ?? ''} choices={choices} onChoose={(id) => onChoose({ a: id })} />
        <ChooseRun
          letter="B"
          value={run.experimentRunID}
          choices={choices}
          onChoose={(id) => onChoose({ b: id, ...(first !== undefined && { a: first }) })}
        />
      </div>
      {first !== undefined ? (
        <Both project={project} a={first} b={run} />
      ) : isReady ? (
        <Notice
          title="There is no run before this one"
          text="Choose the run to compare it with, or run the experiment again."
        />
      ) : (
        <div className="waiting" role="status" aria-label="Loading the runs" />
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

/** What the engines of a run set; undefined where that is not known of each. */
function settingsOf({ details }: ShownRun): ReadonlyMap<string, string> | undefined {
  const experiments = details ? (JSON.parse(details) as readonly ExperimentDetails[]) : [];
  const isOne = experiments.length === 1;
  const known = experiments.map(({ experiment, settings }) =>
    settings?.map(({ name, value }) => [isOne ? name : `${experiment} ${name}`, plainText(value)] as const),
  );
  if (known.length === 0 || known.includes(undefined)) return undefined;
  return new Map(known.flatMap((one) => one ?? []));
}

function sideOf(project: string, run: ShownRun, isSameExperiment: boolean): ComparedSide {
  const { axis, isRunning } = runModel(readRun(run), Date.now());
  const object = watchedObject(run.experimentRunID);
  const sequence = object === undefined ? `run ${run.runSequence}` : `${object.namespace}/${object.name}`;
  return {
    run: {
      name:
        isSameExperiment || object !== undefined ? sequence : plainText(`${run.experimentName} ${sequence}`),
      state: run.outcome.state,
      isRunning,
      axis,
      score: run.outcome.score,
      settings: settingsOf(run),
    },
    link: (
      <Link href={runPath(project, run.experimentRunID)}>
        {object === undefined ? (
          <>
            <bdi>{plainText(run.experimentName)}</bdi> · {sequence}
          </>
        ) : (
          <bdi>{plainText(sequence)}</bdi>
        )}
      </Link>
    ),
  };
}
