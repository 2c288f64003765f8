import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { callRest } from '../../api/client.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { Live } from '../../parts/live/live.tsx';
import { actsColumn, textColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { ActionButton } from '../action-button.tsx';
import { ChoiceField, Form, TextField } from '../form.tsx';
import { ListTable } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useProjectChanges } from '../use-project-changes.ts';
import { useRest } from '../use-rest.ts';
import { Invitations } from './invitations.tsx';

/** A member of a project, or an invited user. */
interface Member {
  readonly userID: string;
  readonly username: string;
  readonly role: string;
  readonly invitation: string;
}

/** The reader. */
interface Myself {
  readonly userID: string;
}

const COLUMNS: readonly Column<Member>[] = [
  textColumn('name', 'Member', ({ username }) => username),
  textColumn('role', 'Role', ({ role }) => role),
  textColumn('invitation', 'Invitation', ({ invitation }) => invitation),
];
const ROLES = [
  ['Viewer', 'Viewer: sees everything'],
  ['Executor', 'Executor: also changes and runs'],
  ['Owner', 'Owner: also invites and sets up'],
] as const;

/** The members of a project, its invitations, and the reader's own invitations. */
export function Members({ project }: { readonly project: string }): ReactElement {
  const path = `/get_project_members/${encodeURIComponent(project)}/all`;
  const view = useRest<{ readonly data: readonly Member[] }>(path, ({ data }) => data.length === 0);
  const connection = useProjectChanges({ path }, project, ['member']);
  const me = useRest<Myself>('/get_user/me');
  const self = knownData(me)?.userID;
  const members = knownData(view)?.data ?? [];
  const isOwner = members.some(({ userID, role }) => userID === self && role === 'Owner');
  return (
    <>
      <p className="facts">
        <Live connection={connection} />
      </p>
      <Invitations />
      {isOwner ? <Rename project={project} /> : null}
      {isOwner ? <Invite project={project} onDone={view.retry} /> : null}
      <StateView view={view} what="the members">
        {({ data }) => (
          <ListTable
            name="members"
            label="Members"
            columns={[
              ...COLUMNS,
              actsColumn<Member>((member) => (
                <Acts {...{ project, member, self, isOwner }} onDone={view.retry} />
              )),
            ]}
            rows={data}
            keyOf={({ userID }) => userID}
          />
        )}
      </StateView>
    </>
  );
}

/** The reader's actions: only owners change others, and members can leave by themselves. */
function Acts({
  project: projectID,
  member: { userID, username, role },
  self,
  isOwner,
  onDone,
}: {
  readonly project: string;
  readonly member: Member;
  readonly self: string | undefined;
  readonly isOwner: boolean;
  onDone(): void;
}): ReactElement | null {
  if (userID === self) return <Leave project={projectID} role={role} user={userID} />;
  if (!isOwner) return null;
  return (
    <>
      {ROLES.filter(([value]) => value !== role).map(([value]) => (
        <ActionButton
          key={value}
          label={`Make ${value}`}
          name={`Make ${value}: ${username}`}
          run={() => callRest('/update_member_role', { projectID, userID, role: value })}
          onDone={onDone}
        />
      ))}
      <ActionButton
        label="Remove"
        name={`Remove ${username}`}
        question="They no longer see this project. They can be invited again."
        run={() => callRest('/remove_invitation', { projectID, userID })}
        onDone={onDone}
      />
    </>
  );
}

/** Leaves the project, then opens the start page, which is the next project of the reader. */
function Leave({
  project: projectID,
  user: userID,
  role,
}: {
  readonly project: string;
  readonly user: string;
  readonly role: string;
}): ReactElement {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return (
    <ActionButton
      label="Leave"
      name="Leave the project"
      question="You no longer see this project until an owner invites you again."
      run={() => callRest('/leave_project', { projectID, userID, role })}
      onDone={() => {
        queries.clear();
        navigate('/');
      }}
    />
  );
}

function Rename({ project: projectID }: { readonly project: string }): ReactElement {
  const queries = useQueryClient();
  return (
    <details>
      <summary>Rename the project</summary>
      <Form
        submit="Rename"
        run={(text) => callRest('/update_project_name', { projectID, projectName: text('project') })}
        onDone={() => void queries.invalidateQueries({ queryKey: ['projects'] })}
      >
        <TextField name="project" label="New name of the project" />
      </Form>
    </details>
  );
}

function Invite({ project: projectID, onDone }: { readonly project: string; onDone(): void }): ReactElement {
  const users = useRest<{ readonly data: readonly { readonly userID: string; readonly username: string }[] }>(
    `/invite_users/${encodeURIComponent(projectID)}`,
    ({ data }) => data.length === 0,
  );
  const done = (): void => {
    onDone();
    users.retry();
  };
  return (
    <details>
      <summary>Invite a user</summary>
      <StateView
        view={users}
        what="who can be invited"
        empty={<p className="hint">All users of this server are members already.</p>}
      >
        {({ data }) => (
          <Form
            submit="Invite"
            run={(text) =>
              callRest('/send_invitation', { projectID, userID: text('user'), role: text('role') })
            }
            onDone={done}
          >
            <ChoiceField name="user" label="User" choices={data.map((one) => [one.userID, one.username])} />
            <ChoiceField name="role" label="Role" choices={ROLES} />
          </Form>
        )}
      </StateView>
    </details>
  );
}
