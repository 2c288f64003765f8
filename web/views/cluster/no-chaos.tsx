import type { ReactElement } from 'react';
import { listPath } from '../../address/routes.ts';
import { CommandLines } from '../../parts/command-lines/command-lines.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { useShownProject } from '../frame/use-projects.ts';
import { useAsk } from '../use-ask.ts';
import { CLUSTER_TERMINAL } from './generated/cluster.ts';

const NO_VARIABLES = {};

/** What to do with an empty cluster: make an experiment here, or watch one of a terminal. */
export function NoChaos(): ReactElement {
  const project = useShownProject(undefined);
  const asked = useAsk(CLUSTER_TERMINAL, NO_VARIABLES);
  const terminal = 'data' in asked ? asked.data.clusterTerminal : null;
  return (
    <>
      <Notice
        title="No chaos in this cluster"
        text="Make an experiment here, or run one in a terminal of this machine: it appears here at once."
        {...(project !== undefined && {
          link: { label: 'Make an experiment', path: listPath(project, 'experiments') },
        })}
      />
      {terminal === null ? null : (
        <div className="notice">
          <CommandLines
            commands={[
              {
                does: 'an application with three pods, which are deleted while a probe watches',
                line: [terminal.turnsole, 'run', terminal.quickstart, terminal.cluster]
                  .filter((words) => words !== '')
                  .join(' '),
              },
            ]}
          />
        </div>
      )}
    </>
  );
}
