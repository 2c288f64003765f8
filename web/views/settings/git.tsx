import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { textColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { PastTime } from '../../parts/time/past-time.tsx';
import { ActionButton } from '../action-button.tsx';
import { StateView } from '../state-view.tsx';
import { useAskProject } from '../use-ask-project.ts';
import { DISABLE_GIT, GIT, type ShownGit, SYNC_GIT } from './generated/git.ts';
import { GitForm } from './git-form.tsx';

/** The Git repository of a project: its last synchronisation, and documents that could not be imported. */
export function Git({ project: projectID }: { readonly project: string }): ReactElement {
  const view = useAskProject(GIT, { projectID }, ['gitops']);
  return (
    <StateView view={view} what="the Git repository">
      {({ getGitOpsDetails: git }) => (
        <>
          {git.enabled ? (
            <>
              <State git={git} />
              <p>
                <ActionButton
                  label="Sync now"
                  name="Sync now"
                  run={() => ask(SYNC_GIT, { projectID })}
                  onDone={view.retry}
                />
                <ActionButton
                  label="Turn off"
                  name="Turn off GitOps"
                  question="Experiments stay in the project and in the repository, but are no longer synchronised."
                  run={() => ask(DISABLE_GIT, { projectID })}
                  onDone={view.retry}
                />
              </p>
              <Problems git={git} />
              <h2>Edit</h2>
            </>
          ) : (
            <p className="hint">Experiments of this project are not kept in Git.</p>
          )}
          <GitForm key={String(git.enabled)} project={projectID} git={git} onDone={view.retry} />
        </>
      )}
    </StateView>
  );
}

function State({ git }: { readonly git: ShownGit }): ReactElement {
  const synced = git.lastSyncedAt === null ? undefined : Number(git.lastSyncedAt);
  return (
    <>
      <p>
        <bdi>{git.repoURL}</bdi>, branch <bdi>{git.branch}</bdi>
      </p>
      <p className="hint">
        {synced === undefined ? (
          'They have not been synchronised yet.'
        ) : (
          <>
            The same <PastTime ms={synced} />
          </>
        )}
        {git.latestCommit === null ? null : <> at {git.latestCommit.slice(0, 12)}</>}
      </p>
      {git.lastError === null ? null : (
        <p className="refused" role="status">
          The repository could not be read or written: <bdi>{git.lastError}</bdi>
        </p>
      )}
    </>
  );
}

function Problems({ git: { problems } }: { readonly git: ShownGit }): ReactElement | null {
  if (problems.length === 0) return null;
  return (
    <LocalTable
      name="git-problems"
      label="Documents that could not be imported"
      columns={PROBLEM_COLUMNS}
      rows={problems}
      keyOf={({ path, experimentName, message }) => `${path} ${experimentName} ${message}`}
    />
  );
}

const PROBLEM_COLUMNS: readonly Column<ShownGit['problems'][number]>[] = [
  textColumn('file', 'File', ({ path }) => path),
  textColumn('experiment', 'Experiment', ({ experimentName }) => experimentName),
  { id: 'why', name: 'Why', cell: ({ message }) => <bdi>{message}</bdi> },
];
