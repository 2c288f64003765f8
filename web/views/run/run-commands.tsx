import type { ReactElement } from 'react';
import { clusterCommands, projectCommands, signInCommand } from '../../models/run/commands.ts';
import { readExecution } from '../../models/run/execution.ts';
import { watchedObject } from '../../models/run/watched.ts';
import { CommandLines } from '../../parts/command-lines/command-lines.tsx';
import { CLUSTER_TERMINAL } from '../cluster/generated/cluster.ts';
import { WATCHES_CLUSTER } from '../frame/use-projects.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { useRest } from '../use-rest.ts';
import type { ShownRun } from './generated/run.ts';

interface Props {
  readonly project: string;
  readonly run: ShownRun;
}

/** Command lines equivalent to the page of a run: of the cluster that the server watches, else of the server. */
export function RunCommands(props: Props): ReactElement {
  return WATCHES_CLUSTER ? <OfCluster {...props} /> : <OfProject {...props} />;
}

/** Nobody can sign in at a server for one person: its cluster is what commands reach. */
function OfCluster({ run }: Props): ReactElement {
  const view = useAsk(CLUSTER_TERMINAL, {});
  const execution = readExecution(run.executionData);
  const object =
    watchedObject(run.experimentRunID) ??
    (execution?.name
      ? { kind: 'Workflow', namespace: execution.namespace, name: execution.name }
      : undefined);
  return (
    <StateView view={view} what="the commands of this cluster">
      {({ clusterTerminal }) =>
        object === undefined || clusterTerminal === null ? (
          <p className="hint">Commands are here as soon as its agent has reported the run.</p>
        ) : (
          <CommandLines commands={clusterCommands(object, clusterTerminal)} />
        )
      }
    </StateView>
  );
}

function OfProject({ project, run }: Props): ReactElement {
  const view = useRest<{ readonly username: string }>('/get_user/me');
  const username = 'data' in view ? view.data.username : undefined;
  return (
    <CommandLines
      commands={[
        ...(username === undefined ? [] : [signInCommand(location.origin, username)]),
        ...projectCommands({
          project,
          run: run.experimentRunID,
          experiment: run.experimentName,
          address: location.origin,
        }),
      ]}
    />
  );
}
