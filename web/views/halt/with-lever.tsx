import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { type ShownHalt, shownHalt } from '../../models/halt/halt-words.ts';
import { useAsk } from '../use-ask.ts';
import { usePermissions } from '../use-permissions.ts';
import { useProjectChanges } from '../use-project-changes.ts';
import {
  CLUSTER_HALTS,
  HALT_CLUSTER,
  HALT_PROJECT,
  PROJECT_HALTS,
  RESUME_CLUSTER,
  RESUME_PROJECT,
} from './generated/halt.ts';
import type { Lever } from './halt-lever.tsx';

const NO_VARIABLES = {};
interface Shows {
  /** Renders the lever. Shows nothing if it cannot be read, since the page below says why. */
  children(lever: Lever): ReactElement | null;
}

/** The lever of the cluster that the server watches. */
export function WithClusterLever({ children }: Shows): ReactElement | null {
  const view = useAsk(CLUSTER_HALTS, NO_VARIABLES);
  if (view.state !== 'shown' && view.state !== 'away') return null;
  const [halt] = view.data.clusterHalts;
  const halted: ShownHalt | undefined =
    halt === undefined
      ? undefined
      : {
          ...{ by: halt.by, reason: halt.reason, notes: [] },
          sinceMs: halt.since === null ? undefined : Number(halt.since),
        };
  return children({
    ...{ what: 'this cluster', halted, onDone: view.retry },
    halt: (reason) => ask(HALT_CLUSTER, { reason }),
    resume: () => ask(RESUME_CLUSTER, { namespace: halt?.namespace || null }),
  });
}

/** Keeps what all levers of a project show up to date. Once in a page: each further one would ask again as well. */
export function FollowHalts({ project: projectID }: { readonly project: string }): null {
  const halts = { document: PROJECT_HALTS, variables: { projectID } };
  useProjectChanges(halts, projectID, ['halt', 'action', 'infra']);
  return null;
}

/** The lever of a project, with the reports of the agents of its infrastructures. */
export function WithProjectLever({
  project: projectID,
  children,
}: Shows & { readonly project: string }): ReactElement | null {
  const view = useAsk(PROJECT_HALTS, { projectID });
  const may = usePermissions(projectID);
  if (view.state !== 'shown' && view.state !== 'away') return null;
  return children({
    ...{ what: 'this project', halted: shownHalt(view.data.haltStatus), onDone: view.retry },
    halt: may('haltChaos') ? (reason) => ask(HALT_PROJECT, { projectID, reason }) : undefined,
    resume: may('resumeChaos') ? () => ask(RESUME_PROJECT, { projectID }) : undefined,
  });
}
