import type { ReactElement } from 'react';
import { Redirect } from 'wouter';
import { listPath, ROUTES } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { useProjects, WATCHES_CLUSTER } from './use-projects.ts';

/** Redirects to the cluster that the server watches, else to the reader's first project, or to the sign-in. */
export function HomeView(): ReactElement {
  const { data, error, refetch } = useProjects();
  if (error?.code === 'unauthenticated') return <Redirect to={ROUTES.signIn} replace />;
  if (WATCHES_CLUSTER) return <Redirect to={ROUTES.cluster} replace />;
  const [first] = data ?? [];
  if (first !== undefined) return <Redirect to={listPath(first.projectID, 'overview')} replace />;
  return (
    <main>
      {error !== null ? (
        <Notice
          title="Cannot show your projects"
          text={error.message}
          action={{ label: 'Try again', do: () => void refetch() }}
        />
      ) : data === undefined ? (
        <div className="waiting" role="status" aria-label="Loading your projects" />
      ) : (
        <Notice title="You are a member of no project" text="Ask an owner of a project to invite you." />
      )}
    </main>
  );
}
