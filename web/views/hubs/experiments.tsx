import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { newStudioPath } from '../../address/routes.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { usePermissions } from '../use-permissions.ts';
import { EXPERIMENT_FILES } from './generated/hubs.ts';

/** The experiments of a hub, each with its files folded. */
export function Experiments({
  project,
  hub,
  experiments,
}: {
  readonly project: string;
  readonly hub: string;
  readonly experiments: readonly { readonly experimentName: string }[];
}): ReactElement | null {
  if (experiments.length === 0) return null;
  return (
    <section aria-label="Experiments">
      <h2>Experiments</h2>
      {experiments.map(({ experimentName }) => (
        <Experiment key={experimentName} project={project} hub={hub} name={experimentName} />
      ))}
    </section>
  );
}

interface Named {
  readonly project: string;
  readonly hub: string;
  readonly name: string;
}

function Experiment({ project, hub, name }: Named): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const may = usePermissions(project);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{name}</bdi>
      </summary>
      {may('saveChaosExperiment') ? (
        <p>
          <Link href={newStudioPath(project, 'sample', `${hub}/${name}`)}>
            Create an experiment of <bdi>{name}</bdi>
          </Link>
        </p>
      ) : null}
      {isOpen ? <Files project={project} hub={hub} name={name} /> : null}
    </details>
  );
}

function Files({ project, hub, name }: Named): ReactElement {
  const view = useAsk(EXPERIMENT_FILES, { projectID: project, hub, name });
  return (
    <StateView view={view} what={`the files of ${name}`}>
      {({ getPredefinedExperiment: [files] }) =>
        files === undefined ? null : (
          <>
            <File name={`Description of ${name}`} text={files.experimentCSV} />
            <File name={`Workflow of ${name}`} text={files.experimentManifest} />
          </>
        )
      }
    </StateView>
  );
}

/** A file for reading and copying. */
export function File({ name, text }: { readonly name: string; readonly text: string }): ReactElement | null {
  if (text === '') return null;
  return (
    // oxlint-disable-next-line no-noninteractive-tabindex -- what scrolls has to be reached by the keyboard
    <section className="file" aria-label={name} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}
