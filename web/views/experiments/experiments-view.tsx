import { type ReactElement, useDeferredValue, useEffect } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { listPath, newStudioPath, runPath, studioPath } from '../../address/routes.ts';
import { agoWords } from '../../models/words/duration.ts';
import { scoreWords } from '../../models/words/score.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { changesRuns, PROJECT_CHANGES } from '../changes-query.ts';
import { ListFoot, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { EXPERIMENTS, type ListedExperiment } from './experiments-query.ts';

const HEADS = ['Experiment', 'Last runs, newest right', 'Schedule', 'Infrastructure', 'Changed', ''];

/** The experiments of a project with what came of their last runs. */
export function ExperimentsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const variables = { projectID: project, page, limit: PAGE_ROWS, name };
  const view = useAsk(
    EXPERIMENTS,
    variables,
    ({ listExperiment }) => listExperiment.totalNoOfExperiments === 0,
  );
  const connection = useFollow(
    { document: EXPERIMENTS, variables },
    { document: PROJECT_CHANGES, variables: { projectID: project } },
    changesRuns,
  );
  useEffect(() => {
    document.title = 'Experiments · Turnsole';
  }, []);
  return (
    <>
      <h1>Experiments</h1>
      <Live connection={connection} />
      <p>
        <Link href={listPath(project, 'studio')}>Make an experiment</Link>
      </p>
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the experiments"
        empty={
          name === '' ? (
            <Notice
              title="No experiment yet"
              text="Make one by the link above, with `turnsole` or any client of the API; it appears here."
            />
          ) : (
            <Notice
              title={`No experiment has "${name}" in its name`}
              action={{ label: 'Show all', do: () => change({ find: '', page: undefined }, 'push') }}
            />
          )
        }
      >
        {({ listExperiment }) => (
          <>
            <Table label="Experiments" heads={HEADS}>
              {listExperiment.experiments.map((one) =>
                one === null ? null : <Row key={one.experimentID} experiment={one} project={project} />,
              )}
            </Table>
            <ListFoot
              page={page}
              total={listExperiment.totalNoOfExperiments}
              onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
            />
          </>
        )}
      </StateView>
    </>
  );
}

function Row({
  experiment,
  project,
}: {
  readonly experiment: ListedExperiment;
  readonly project: string;
}): ReactElement {
  const runs = (experiment.recentExperimentRunDetails ?? []).filter((run) => run !== null).toReversed();
  const newest = runs.at(-1);
  const changed = Number(experiment.updatedAt);
  return (
    <tr>
      <th scope="row">
        {newest === undefined || newest.experimentRunID === '' ? (
          <bdi>{experiment.name}</bdi>
        ) : (
          <Link href={runPath(project, newest.experimentRunID)}>
            <bdi>{experiment.name}</bdi>
          </Link>
        )}
      </th>
      <td>
        <span className="strip">
          {runs.length === 0 ? <span className="quiet">never run</span> : null}
          {runs.map((run) => (
            <Link
              key={`${run.runSequence} ${run.experimentRunID}`}
              href={runPath(project, run.experimentRunID)}
              aria-label={`Run ${run.runSequence}: ${run.phase}, score ${scoreWords(run.phase, run.resiliencyScore)}`}
            >
              <Verdict state={run.phase} isBrief />
            </Link>
          ))}
        </span>
      </td>
      <td>{experiment.cronSyntax || 'on demand'}</td>
      <td>
        <bdi>{experiment.infra?.name ?? ''}</bdi>
      </td>
      <td title={new Date(changed).toISOString()}>{agoWords(changed, Date.now())}</td>
      <td>
        <Link
          className="act"
          href={studioPath(project, experiment.experimentID)}
          aria-label={`Change ${experiment.name}`}
        >
          Change
        </Link>
        <Link
          className="act"
          href={newStudioPath(project, 'copy', experiment.experimentID)}
          aria-label={`Copy ${experiment.name}`}
        >
          Copy
        </Link>
      </td>
    </tr>
  );
}
