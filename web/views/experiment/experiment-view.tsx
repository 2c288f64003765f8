import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { EXPERIMENT_ADDRESS } from '../../address/experiment.ts';
import { listPath } from '../../address/routes.ts';
import { RunExperiment } from '../experiments/experiment-actions.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { ExperimentFacts } from './experiment-facts.tsx';
import { ExperimentRuns } from './experiment-runs.tsx';
import { ExperimentYaml } from './experiment-yaml.tsx';
import { EXPERIMENT, HISTORY } from './generated/experiment.ts';
import { PageActions } from './page-actions.tsx';
import { RevisionDiff } from './revision-diff.tsx';
import { ScoreHistory } from './score-history.tsx';
import './experiment.css';

/** An experiment: its manifest, schedule, results and actions. */
export function ExperimentView({
  project,
  experiment: id,
}: {
  readonly project: string;
  readonly experiment: string;
}): ReactElement {
  const { state, change } = useAddress(EXPERIMENT_ADDRESS);
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const variables = { projectID: project, id };
  const view = useAskProject(EXPERIMENT, variables, RUNS_AND_EXPERIMENTS);
  const past = useAskProject(HISTORY, variables, RUNS_AND_EXPERIMENTS);
  const shown = 'data' in view ? view.data.getExperiment.experimentDetails : undefined;
  const runs = 'data' in past ? past.data.listExperimentRun.experimentRuns : [];
  const onDeleted = (): void => {
    void queries.invalidateQueries({ refetchType: 'none' });
    navigate(listPath(project, 'experiments'));
  };
  return (
    <div className="experiment">
      <p className="hint">
        <Link href={listPath(project, 'experiments')}>Experiments</Link>
      </p>
      <PageHead title={shown?.name ?? 'Experiment'} connection={view.connection} />
      <StateView view={view} what="the experiment">
        {({ getExperiment: { experimentDetails: experiment, averageResiliencyScore } }) => (
          <>
            {experiment.description === '' ? null : (
              <p className="experiment-words">
                <bdi>{experiment.description}</bdi>
              </p>
            )}
            <PageActions
              project={project}
              experiment={experiment}
              runs={runs}
              yaml={state.yaml}
              onYaml={(yaml) => change({ yaml }, 'push')}
              onDone={view.retry}
              onDeleted={onDeleted}
            />
            <ExperimentFacts
              project={project}
              experiment={experiment}
              score={runs.length === 0 ? null : averageResiliencyScore}
            />
            {state.yaml === 'shown' ? <ExperimentYaml project={project} id={id} /> : null}
            <StateView view={past} what="how its runs have done">
              {({ listExperimentRun }) => (
                <ScoreHistory project={project} runs={listExperimentRun.experimentRuns} />
              )}
            </StateView>
            {state.before === '' || state.after === '' ? null : (
              <RevisionDiff
                project={project}
                before={state.before}
                after={state.after}
                onClose={() => change({ before: '', after: '' }, 'push')}
              />
            )}
            <ExperimentRuns
              project={project}
              id={id}
              address={state}
              change={change}
              onCompare={(before, after) => change({ before, after }, 'push')}
              empty={
                <section className="notice">
                  <h2>It has not run yet</h2>
                  <p>Its runs appear here, with their verdicts.</p>
                  <RunExperiment
                    project={project}
                    experiment={experiment}
                    look="button"
                    onDone={view.retry}
                  />
                </section>
              }
            />
          </>
        )}
      </StateView>
    </div>
  );
}
