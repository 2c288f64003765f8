import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { newStudioPath } from '../../address/routes.ts';
import { Button } from '../../parts/button/button.tsx';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { usePermissions } from '../use-permissions.ts';
import { File } from './experiments.tsx';
import { FAULT } from './generated/hubs.ts';

/** The files of a fault: its description, defaults, and an example. */
export function FaultDetail({
  project,
  hub,
  fault,
  onClose,
}: {
  readonly project: string;
  readonly hub: string;
  /** `category/name` */
  readonly fault: string;
  onClose(): void;
}): ReactElement {
  const [category = '', name = ''] = fault.split('/');
  const view = useAsk(FAULT, { projectID: project, hub, category, name });
  const may = usePermissions(project);
  return (
    <section className="fault" aria-label={name}>
      <h2>
        <bdi>{name}</bdi> <Button look="link" label="Close" onClick={onClose} />
      </h2>
      {may('saveChaosExperiment') ? (
        <p>
          <Link href={newStudioPath(project, 'fault', `${hub}/${fault}`)}>Create an experiment with it</Link>
        </p>
      ) : null}
      <StateView view={view} what={`the fault ${name}`}>
        {({ getChaosFault: { csv, engine, fault: experiment } }) => (
          <>
            <h3>How an experiment uses it</h3>
            <File name="Engine" text={engine} />
            <h3>Settings</h3>
            <File name="Fault" text={experiment} />
            <h3>Description</h3>
            <File name="Description" text={csv} />
          </>
        )}
      </StateView>
    </section>
  );
}
