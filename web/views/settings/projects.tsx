import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { listPath, settingsPath } from '../../address/routes.ts';
import { callRest } from '../../api/client.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { actsColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { ActionButton } from '../action-button.tsx';
import { Form, TextField } from '../form.tsx';
import { ListTable } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useRest } from '../use-rest.ts';
import { Invitations } from './invitations.tsx';

/** A project of the reader. */
interface Project {
  readonly projectID: string;
  readonly name: string;
  readonly createdAt: number;
  readonly members: readonly { readonly userID: string; readonly role: string }[];
}

/** Page size of the API. */
const MOST = 50;

/** The projects that the reader has created or joined, and their invitations. */
export function Projects({ project }: { readonly project: string }): ReactElement {
  const queries = useQueryClient();
  const view = useRest<{ readonly data?: { readonly projects: readonly Project[] } }>(
    `/list_projects?limit=${MOST}&sortField=name&sortAscending=true`,
    ({ data }) => (data?.projects ?? []).length === 0,
  );
  const me = useRest<{ readonly userID: string }>('/get_user/me');
  const self = knownData(me)?.userID;
  const done = (): void => {
    view.retry();
    void queries.invalidateQueries({ queryKey: ['projects'] });
  };
  return (
    <>
      <Invitations />
      <details>
        <summary>Create a project</summary>
        <Form
          submit="Create"
          run={(text) => callRest('/create_project', { projectName: text('project') })}
          onDone={done}
        >
          <TextField name="project" label="Name of the project" />
        </Form>
      </details>
      <StateView view={view} what="your projects" empty={<p className="hint">You are in no project.</p>}>
        {({ data }) => (
          <ListTable
            name="projects"
            label="Projects"
            columns={columnsOf(self, project, done)}
            rows={data?.projects ?? []}
            keyOf={({ projectID }) => projectID}
          />
        )}
      </StateView>
    </>
  );
}

function columnsOf(self: string | undefined, shown: string, onDone: () => void): readonly Column<Project>[] {
  const roleOf = ({ members }: Project): string => members.find(({ userID }) => userID === self)?.role ?? '';
  return [
    {
      id: 'name',
      name: 'Project',
      order: ({ name }) => name,
      cell: ({ projectID, name }) => (
        <Link href={listPath(projectID, 'overview')}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    textColumn('role', 'Your role', roleOf),
    {
      id: 'members',
      name: 'Members',
      isNumber: true,
      order: ({ members }) => members.length,
      cell: ({ projectID, members }) => (
        <Link href={settingsPath(projectID, 'members')}>{members.length}</Link>
      ),
    },
    whenColumn('made', 'Made', ({ createdAt }) => createdAt),
    actsColumn((project) =>
      // Deleting the current project would leave the reader without a page.
      roleOf(project) !== 'Owner' || project.projectID === shown ? null : (
        <ActionButton
          label="Delete"
          name={`Delete ${project.name}`}
          question="Its experiments, runs and settings are deleted for all members. Its agents remove themselves from their clusters."
          run={() => callRest(`/delete_project/${encodeURIComponent(project.projectID)}`, {})}
          onDone={onDone}
        />
      ),
    ),
  ];
}
