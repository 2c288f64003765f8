import type { ComponentType, ReactElement } from 'react';
import { Route, type StringRouteParams, Switch } from 'wouter';
import { decoded } from '../address/decoded.ts';
import { FORMER_ROUTES, ROUTES } from '../address/routes.ts';
import { lazyView } from '../parts/lazy-view/lazy-view.tsx';
import { Notice } from '../parts/panel/panel.tsx';
import { FormerAddress } from './frame/former-address.tsx';
import { Frame } from './frame/frame.tsx';
import { HomeView } from './frame/home-view.tsx';

const SignInView = loaded(async () => (await import('./sign-in/sign-in-view.tsx')).SignInView);
const RunView = loaded(async () => (await import('./run/run-view.tsx')).RunView);
const CompareView = loaded(async () => (await import('./compare/compare-view.tsx')).CompareView);
const RunsView = loaded(async () => (await import('./runs/runs-view.tsx')).RunsView);
const ExperimentsView = loaded(
  async () => (await import('./experiments/experiments-view.tsx')).ExperimentsView,
);
const ExperimentView = loaded(async () => (await import('./experiment/experiment-view.tsx')).ExperimentView);
const StudioView = loaded(async () => (await import('./studio/studio-view.tsx')).StudioView);
const InfrastructuresView = loaded(
  async () => (await import('./infrastructures/infrastructures-view.tsx')).InfrastructuresView,
);
const OverviewView = loaded(async () => (await import('./overview/overview-view.tsx')).OverviewView);
const TrendsView = loaded(async () => (await import('./trends/trends-view.tsx')).TrendsView);
const ProbesView = loaded(async () => (await import('./probes/probes-view.tsx')).ProbesView);
const ProbeView = loaded(async () => (await import('./probes/probe-view.tsx')).ProbeView);
const HubsView = loaded(async () => (await import('./hubs/hubs-view.tsx')).HubsView);
const HubView = loaded(async () => (await import('./hubs/hub-view.tsx')).HubView);
const SettingsView = loaded(async () => (await import('./settings/settings-view.tsx')).SettingsView);
const ClusterView = loaded(async () => (await import('./cluster/cluster-view.tsx')).ClusterView);

/** The view of an address. */
export function Page(): ReactElement {
  return (
    <Switch>
      <Route path={ROUTES.signIn}>
        <SignInView />
      </Route>
      {inFrame(ROUTES.run, RunView)}
      {inFrame(ROUTES.compare, CompareView)}
      {inFrame(ROUTES.runs, RunsView)}
      {inFrame(ROUTES.experiments, ExperimentsView)}
      {inFrame(ROUTES.experiment, ExperimentView)}
      {inFrame(ROUTES.studio, StudioView)}
      {inFrame(ROUTES.infrastructures, InfrastructuresView)}
      {inFrame(ROUTES.overview, OverviewView)}
      {inFrame(ROUTES.trends, TrendsView)}
      {inFrame(ROUTES.probes, ProbesView)}
      {inFrame(ROUTES.probe, ProbeView)}
      {inFrame(ROUTES.hubs, HubsView)}
      {inFrame(ROUTES.hub, HubView)}
      {inFrame(ROUTES.settings, SettingsView)}
      {inFrame(ROUTES.cluster, ClusterView)}
      {inFrame(FORMER_ROUTES.clusterCompare, FormerAddress)}
      {inFrame(FORMER_ROUTES.clusterRun, FormerAddress)}
      <Route path="/">
        <HomeView />
      </Route>
      <Route>
        <main>
          <Notice
            title="Page not found"
            text="Nothing has this address."
            link={{ label: 'To the first page', path: '/' }}
          />
        </main>
      </Route>
    </Switch>
  );
}

type View<Props> = (props: Props) => ReactElement | null;

/** A view whose code is loaded when its address is opened. */
function loaded<Props extends object>(load: () => Promise<ComponentType<Props>>): View<Props> {
  return lazyView('Loading the page', load);
}

/** A view below the bar, which gets the decoded parts of its address by their names in the route. */
function inFrame<Path extends string>(path: Path, Shown: View<StringRouteParams<Path>>): ReactElement {
  return (
    <Route path={path}>
      {(given) => {
        const parts: StringRouteParams<Path> & { readonly project?: string } = decoded(
          given as StringRouteParams<Path>,
        );
        return (
          <Frame project={parts.project}>
            <Shown {...parts} />
          </Frame>
        );
      }}
    </Route>
  );
}
