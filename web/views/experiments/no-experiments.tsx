import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { parse, parseAllDocuments, stringify } from 'yaml';
import QUICKSTART from '../../../examples/quickstart/1-app.yaml?raw';
import { listPath, runPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { withApplication } from '../../models/experiment/with-application.ts';
import { textAt } from '../../models/json/json.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { randomId } from '../random-id.ts';
import { StateView } from '../state-view.tsx';
import { SAVE } from '../studio/generated/studio.ts';
import { useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { RUN_EXPERIMENT } from './generated/experiments.ts';
import { SAMPLE, SAMPLE_PLACES } from './generated/sample.ts';

/** The most illustrative experiment of the default hub: it deletes pods while a probe calls their service. */
const NAME = 'pods-die';

/** What it is told to make where nothing is that it could hit; the load that the quick start adds would stay after the run. */
const APPLICATION = 'web';

/** A cluster that is being connected is offered as soon as it is. */
const PLACES = ['infra', 'hub'] as const;

/** What to do without experiments: connect a cluster, then run the sample there. */
export function NoExperiments({ project }: { readonly project: string }): ReactElement {
  const view = useAskProject(SAMPLE_PLACES, { projectID: project }, PLACES);
  const may = usePermissions(project);
  if (!may('saveChaosExperiment'))
    return (
      <Notice
        title="No experiment yet"
        text={`${whoMay('saveChaosExperiment')} of the project can make one; it appears here.`}
      />
    );
  return (
    <StateView view={view} what="where an experiment can run">
      {({ listInfras: { infras }, listChaosHub }) => {
        const place = infras.find((one) => one?.isActive === true);
        const hub = listChaosHub.find((one) => one?.isDefault === true);
        if (place === undefined || place === null)
          return (
            <Notice
              title="No experiment yet"
              text="An experiment needs a connected cluster; this project has none at present."
              link={{ label: 'Connect a cluster', path: listPath(project, 'infrastructures') }}
            />
          );
        return (
          <Sample project={project} infra={{ id: place.infraID, name: place.name }} hub={hub?.id ?? ''} />
        );
      }}
    </StateView>
  );
}

function Sample({
  project: projectID,
  infra,
  hub,
}: {
  readonly project: string;
  readonly infra: { readonly id: string; readonly name: string };
  readonly hub: string;
}): ReactElement {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const begin = useMutation({
    mutationFn: async () => {
      const { getPredefinedExperiment } = await ask(SAMPLE, { projectID, hub, name: NAME });
      const workflow = parse(getPredefinedExperiment[0]?.experimentManifest ?? '');
      const manifest = JSON.stringify(withApplication(workflow, application()));
      const id = randomId();
      const request = { id, name: NAME, description: 'The sample', manifest, infraID: infra.id };
      await ask(SAVE, { projectID, request });
      const { runChaosExperiment } = await ask(RUN_EXPERIMENT, { projectID, experimentID: id });
      return runChaosExperiment.notifyID;
    },
    onSuccess: async (run) => {
      // Earlier lists lack it, and are loaded again when they are shown.
      await queries.invalidateQueries({ refetchType: 'none' });
      navigate(runPath(projectID, run));
    },
  });
  return (
    <section className="notice">
      <h2>No experiment yet</h2>
      <p>
        The sample deletes pods of the deployment <code>{APPLICATION}</code> in the namespace{' '}
        <code>default</code> of <bdi>{infra.name}</bdi>, while a probe asks their service. Where nothing there
        has the label <code>app={APPLICATION}</code>, it makes that deployment first.
      </p>
      <p className="buttons">
        <Button label="Run the sample" isChaos isOff={begin.isPending} onClick={begin.mutate} />
        <Link className="button" href={listPath(projectID, 'studio')}>
          Make your own
        </Link>
        <Link className="button" href={listPath(projectID, 'hubs')}>
          Look at the hubs
        </Link>
      </p>
      {begin.error === null ? null : <p role="alert">It could not be run: {begin.error.message}</p>}
    </section>
  );
}

function application(): string {
  const documents = parseAllDocuments(QUICKSTART).map((one) => one.toJS() as unknown);
  return documents
    .filter((object) => textAt(object, 'metadata', 'name') === APPLICATION)
    .map((object) => stringify(object))
    .join('---\n');
}
