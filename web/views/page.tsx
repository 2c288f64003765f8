import type { ReactElement } from 'react';
import { Route, type StringRouteParams, Switch } from 'wouter';
import type { ClusterKind } from '../../src/controlplane/schema/generated/types.ts';
import { decoded } from '../address/decoded.ts';
import { ROUTES } from '../address/routes.ts';
import { later } from '../parts/later/later.tsx';
import { Notice } from '../parts/panel/panel.tsx';
import { Frame } from './frame/frame.tsx';
import { HomeView } from './frame/home-view.tsx';

const RunView = later('Loading the page', async () => (await import('./run/run-view.tsx')).RunView);
const CompareView = later(
  'Loading the page',
  async () => (await import('./compare/compare-view.tsx')).CompareView,
);
const ClusterCompareView = later(
  'Loading the page',
  async () => (await import('./compare/cluster-compare-view.tsx')).ClusterCompareView,
);
const RunsView = later('Loading the page', async () => (await import('./runs/runs-view.tsx')).RunsView);
const ExperimentsView = later(
  'Loading the page',
  async () => (await import('./experiments/experiments-view.tsx')).ExperimentsView,
);
const ExperimentView = later(
  'Loading the page',
  async () => (await import('./experiment/experiment-view.tsx')).ExperimentView,
);
const StudioView = later(
  'Loading the page',
  async () => (await import('./studio/studio-view.tsx')).StudioView,
);
const InfrastructuresView = later(
  'Loading the page',
  async () => (await import('./infrastructures/infrastructures-view.tsx')).InfrastructuresView,
);
const ClusterView = later(
  'Loading the page',
  async () => (await import('./cluster/cluster-view.tsx')).ClusterView,
);
const ClusterRunView = later(
  'Loading the page',
  async () => (await import('./cluster/cluster-run-view.tsx')).ClusterRunView,
);
const OverviewView = later(
  'Loading the page',
  async () => (await import('./overview/overview-view.tsx')).OverviewView,
);
const ProbesView = later(
  'Loading the page',
  async () => (await import('./probes/probes-view.tsx')).ProbesView,
);
const ProbeView = later('Loading the page', async () => (await import('./probes/probe-view.tsx')).ProbeView);
const HubsView = later('Loading the page', async () => (await import('./hubs/hubs-view.tsx')).HubsView);
const HubView = later('Loading the page', async () => (await import('./hubs/hub-view.tsx')).HubView);
const SettingsView = later(
  'Loading the page',
  async () => (await import('./settings/settings-view.tsx')).SettingsView,
);
const SignInView = later(
  'Loading the page',
  async () => (await import('./sign-in/sign-in-view.tsx')).SignInView,
);

/** The view of an address. */
export function Page(): ReactElement {
  return (
    <Switch>
      <Route path={ROUTES.signIn}>
        <SignInView />
      </Route>
      {route(ROUTES.run, ({ project, run }) => (
        <Frame project={project}>
          <RunView project={project} run={run} />
        </Frame>
      ))}
      {route(ROUTES.compare, ({ project }) => inFrame(project, <CompareView project={project} />))}
      {route(ROUTES.runs, ({ project }) => inFrame(project, <RunsView project={project} />))}
      {route(ROUTES.experiments, ({ project }) => inFrame(project, <ExperimentsView project={project} />))}
      {route(ROUTES.experiment, ({ project, experiment }) =>
        inFrame(project, <ExperimentView key={experiment} project={project} experiment={experiment} />),
      )}
      {route(ROUTES.studio, ({ project, experiment }) =>
        inFrame(project, <StudioView project={project} experiment={experiment} />),
      )}
      {route(ROUTES.infrastructures, ({ project }) =>
        inFrame(project, <InfrastructuresView project={project} />),
      )}
      {route(ROUTES.overview, ({ project }) => inFrame(project, <OverviewView project={project} />))}
      {route(ROUTES.probes, ({ project }) => inFrame(project, <ProbesView project={project} />))}
      {route(ROUTES.probe, ({ project, probe }) =>
        inFrame(project, <ProbeView project={project} probe={probe} />),
      )}
      {route(ROUTES.hubs, ({ project }) => inFrame(project, <HubsView project={project} />))}
      {route(ROUTES.hub, ({ project, hub }) => inFrame(project, <HubView project={project} hub={hub} />))}
      {route(ROUTES.settings, ({ project, part }) =>
        inFrame(project, <SettingsView project={project} part={part} />),
      )}
      <Route path={ROUTES.cluster}>
        <Frame>
          <ClusterView />
        </Frame>
      </Route>
      <Route path={ROUTES.clusterCompare}>
        <Frame>
          <ClusterCompareView />
        </Frame>
      </Route>
      {route(ROUTES.clusterRun, ({ kind, namespace, name }) => (
        <Frame>
          <ClusterRunView kind={kind as ClusterKind} namespace={namespace} name={name} />
        </Frame>
      ))}
      <Route path="/">
        <HomeView />
      </Route>
      <Route>
        <main>
          <Notice
            title="There is no such page"
            text="The link names nothing that this page has."
            link={{ label: 'To the first page', path: '/' }}
          />
        </main>
      </Route>
    </Switch>
  );
}

/** A view with the decoded parts of its address. */
function route<Path extends string>(
  path: Path,
  view: (parts: StringRouteParams<Path>) => ReactElement,
): ReactElement {
  return <Route path={path}>{(parts) => view(decoded(parts as StringRouteParams<Path>))}</Route>;
}

function inFrame(project: string, view: ReactElement): ReactElement {
  return <Frame project={project}>{view}</Frame>;
}
