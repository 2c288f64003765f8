import { lazy, type ReactElement, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import type { ClusterKind } from '../../src/controlplane/schema/generated/types.ts';
import { ROUTES } from '../address/routes.ts';
import { Notice } from '../parts/panel/panel.tsx';
import { Frame } from './frame/frame.tsx';
import { HomeView } from './frame/home-view.tsx';

const RunView = lazy(async () => ({ default: (await import('./run/run-view.tsx')).RunView }));
const CompareView = lazy(async () => ({ default: (await import('./compare/compare-view.tsx')).CompareView }));
const ClusterCompareView = lazy(async () => ({
  default: (await import('./compare/cluster-compare-view.tsx')).ClusterCompareView,
}));
const RunsView = lazy(async () => ({ default: (await import('./runs/runs-view.tsx')).RunsView }));
const ExperimentsView = lazy(async () => ({
  default: (await import('./experiments/experiments-view.tsx')).ExperimentsView,
}));
const ExperimentView = lazy(async () => ({
  default: (await import('./experiment/experiment-view.tsx')).ExperimentView,
}));
const StudioView = lazy(async () => ({ default: (await import('./studio/studio-view.tsx')).StudioView }));
const InfrastructuresView = lazy(async () => ({
  default: (await import('./infrastructures/infrastructures-view.tsx')).InfrastructuresView,
}));
const ClusterView = lazy(async () => ({ default: (await import('./cluster/cluster-view.tsx')).ClusterView }));
const ClusterRunView = lazy(async () => ({
  default: (await import('./cluster/cluster-run-view.tsx')).ClusterRunView,
}));
const OverviewView = lazy(async () => ({
  default: (await import('./overview/overview-view.tsx')).OverviewView,
}));
const ProbesView = lazy(async () => ({ default: (await import('./probes/probes-view.tsx')).ProbesView }));
const ProbeView = lazy(async () => ({ default: (await import('./probes/probe-view.tsx')).ProbeView }));
const HubsView = lazy(async () => ({ default: (await import('./hubs/hubs-view.tsx')).HubsView }));
const HubView = lazy(async () => ({ default: (await import('./hubs/hub-view.tsx')).HubView }));
const SettingsView = lazy(async () => ({
  default: (await import('./settings/settings-view.tsx')).SettingsView,
}));
const SignInView = lazy(async () => ({ default: (await import('./sign-in/sign-in-view.tsx')).SignInView }));

/** The view of an address. */
export function Page(): ReactElement {
  return (
    <Suspense fallback={<div className="waiting" role="status" aria-label="Loading the page" />}>
      <Switch>
        <Route path={ROUTES.signIn}>
          <SignInView />
        </Route>
        <Route path={ROUTES.run}>
          {({ project, run }) => (
            <Frame project={project}>
              <RunView project={project} run={run} />
            </Frame>
          )}
        </Route>
        <Route path={ROUTES.compare}>
          {({ project }) => inFrame(project, <CompareView project={project} />)}
        </Route>
        <Route path={ROUTES.runs}>{({ project }) => inFrame(project, <RunsView project={project} />)}</Route>
        <Route path={ROUTES.experiments}>
          {({ project }) => inFrame(project, <ExperimentsView project={project} />)}
        </Route>
        <Route path={ROUTES.experiment}>
          {({ project, experiment }) =>
            inFrame(project, <ExperimentView key={experiment} project={project} experiment={experiment} />)
          }
        </Route>
        <Route path={ROUTES.studio}>
          {({ project, experiment }) =>
            inFrame(project, <StudioView project={project} experiment={experiment} />)
          }
        </Route>
        <Route path={ROUTES.infrastructures}>
          {({ project }) => inFrame(project, <InfrastructuresView project={project} />)}
        </Route>
        <Route path={ROUTES.overview}>
          {({ project }) => inFrame(project, <OverviewView project={project} />)}
        </Route>
        <Route path={ROUTES.probes}>
          {({ project }) => inFrame(project, <ProbesView project={project} />)}
        </Route>
        <Route path={ROUTES.probe}>
          {({ project, probe }) => inFrame(project, <ProbeView project={project} probe={probe} />)}
        </Route>
        <Route path={ROUTES.hubs}>{({ project }) => inFrame(project, <HubsView project={project} />)}</Route>
        <Route path={ROUTES.hub}>
          {({ project, hub }) => inFrame(project, <HubView project={project} hub={hub} />)}
        </Route>
        <Route path={ROUTES.settings}>
          {({ project, part }) => inFrame(project, <SettingsView project={project} part={part} />)}
        </Route>
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
        <Route path={ROUTES.clusterRun}>
          {({ kind, namespace, name }) => (
            <Frame>
              <ClusterRunView kind={kind as ClusterKind} namespace={namespace} name={name} />
            </Frame>
          )}
        </Route>
        <Route path="/">
          <HomeView />
        </Route>
        <Route>
          <main>
            <Notice title="There is no such page" text="The link names nothing that this page has." />
          </main>
        </Route>
      </Switch>
    </Suspense>
  );
}

function inFrame(project: string, view: ReactElement): ReactElement {
  return <Frame project={project}>{view}</Frame>;
}
