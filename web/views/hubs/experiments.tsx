import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { PredefinedExperimentList } from '../../../src/controlplane/schema/generated/types.ts';
import { newStudioPath } from '../../address/routes.ts';
import { usePermissions } from '../use-permissions.ts';

/** The experiments of a hub, each with its files folded. */
export function Experiments({
  project,
  hub,
  experiments,
}: {
  readonly project: string;
  readonly hub: string;
  readonly experiments: readonly PredefinedExperimentList[];
}): ReactElement | null {
  const may = usePermissions(project);
  if (experiments.length === 0) return null;
  return (
    <section aria-label="Experiments">
      <h2>Experiments</h2>
      {experiments.map(({ experimentName, experimentCSV, experimentManifest }) => (
        <details key={experimentName}>
          <summary>
            <bdi>{experimentName}</bdi>
          </summary>
          {may('saveChaosExperiment') ? (
            <p>
              <Link href={newStudioPath(project, 'sample', `${hub}/${experimentName}`)}>
                Create an experiment of <bdi>{experimentName}</bdi>
              </Link>
            </p>
          ) : null}
          <File name={`Description of ${experimentName}`} text={experimentCSV} />
          <File name={`Workflow of ${experimentName}`} text={experimentManifest} />
        </details>
      ))}
    </section>
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
