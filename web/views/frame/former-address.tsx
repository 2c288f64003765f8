import type { ReactElement } from 'react';
import { Redirect, useSearch } from 'wouter';
import { ROUTES, runPath } from '../../address/routes.ts';
import { viewState } from '../../models/view-state/view-state.ts';
import { StateView } from '../state-view.tsx';
import { useProjects } from './use-projects.ts';

/** Leads from an address that a run of the watched cluster, or a comparison of two, had to that in the reader's project. */
export function FormerAddress({
  kind,
  namespace,
  name,
}: {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}): ReactElement {
  const search = useSearch();
  const { data, error, dataUpdatedAt: dataAtMs, refetch } = useProjects();
  const view = { ...viewState({ data, error: error ?? undefined, dataAtMs }), retry: () => void refetch() };
  return (
    <StateView view={view} what="your projects">
      {([first]) => {
        const project = first?.projectID ?? '';
        const path =
          kind === undefined
            ? ROUTES.compare.replace(':project', encodeURIComponent(project))
            : runPath(project, `${kind}/${namespace}/${name}`);
        return <Redirect to={search === '' ? path : `${path}?${search}`} replace />;
      }}
    </StateView>
  );
}
