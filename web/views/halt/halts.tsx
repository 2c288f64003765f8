import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { shownHalt } from '../../models/halt/halt-words.ts';
import { useAsk } from '../use-ask.ts';
import { HaltLever } from './halt-lever.tsx';
import {
  CLUSTER_HALTS,
  HALT_CLUSTER,
  HALT_PROJECT,
  PROJECT_HALTS,
  RESUME_CLUSTER,
  RESUME_PROJECT,
} from './halt-query.ts';

const NO_VARIABLES = {};

/** The lever of the cluster that the server looks at. Nothing is shown where it cannot be read: the page below says why. */
export function ClusterHaltLever(): ReactElement | null {
  const view = useAsk(CLUSTER_HALTS, NO_VARIABLES, () => false);
  if (view.state !== 'shown' && view.state !== 'away') return null;
  const [halt] = view.data.clusterHalts;
  const halted =
    halt === undefined
      ? undefined
      : {
          ...{ by: halt.by, reason: halt.reason, notes: [] },
          sinceMs: halt.since === null ? undefined : Number(halt.since),
        };
  return (
    <HaltLever
      what="this cluster"
      halted={halted}
      halt={(reason) => ask(HALT_CLUSTER, { reason })}
      resume={() => ask(RESUME_CLUSTER, { namespace: halt?.namespace || null })}
      onDone={view.retry}
    />
  );
}

/** The lever of a project: of all its infrastructures. */
export function ProjectHaltLever({ project }: { readonly project: string }): ReactElement | null {
  const view = useAsk(PROJECT_HALTS, { projectID: project }, () => false);
  if (view.state !== 'shown' && view.state !== 'away') return null;
  return (
    <HaltLever
      what="this project"
      halted={shownHalt(view.data.haltStatus)}
      halt={(reason) => ask(HALT_PROJECT, { projectID: project, reason })}
      resume={() => ask(RESUME_PROJECT, { projectID: project })}
      onDone={view.retry}
    />
  );
}
