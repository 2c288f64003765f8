import type { ReactElement } from 'react';
import { Redirect } from 'wouter';
import { listPath, ROUTES } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { CLUSTER_HALTS } from '../halt/generated/halt.ts';
import { useAsk } from '../use-ask.ts';
import { useProjects } from './use-projects.ts';

const NO_VARIABLES = {};

/** Redirects to the cluster that the server watches, else to the reader's first project, or to the sign-in. */
export function HomeView(): ReactElement {
  const cluster = useAsk(CLUSTER_HALTS, NO_VARIABLES);
  const { data, error, refetch } = useProjects();
  if (error?.code === 'unauthenticated') return <Redirect to={ROUTES.signIn} replace />;
  if (cluster.state === 'shown') return <Redirect to={ROUTES.cluster} replace />;
  const [first] = data ?? [];
  const isDecided = cluster.state !== 'loading';
  if (isDecided && first !== undefined)
    return <Redirect to={listPath(first.projectID, 'overview')} replace />;
  return (
    <main>
      {error !== null ? (
        <Notice
          title="Cannot show your projects"
          text={error.message}
          action={{ label: 'Try again', do: () => void refetch() }}
        />
      ) : data === undefined || !isDecided ? (
        <div className="waiting" role="status" aria-label="Loading your projects" />
      ) : (
        <Notice title="You are a member of no project" text="Ask an owner of a project to invite you." />
      )}
    </main>
  );
}
