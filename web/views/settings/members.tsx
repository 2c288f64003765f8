import type { ReactElement } from 'react';
import { callRest } from '../../api/client.ts';
import { Table } from '../../parts/table/table.tsx';
import { Act } from '../act.tsx';
import { ChoiceField, Form } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { useRest } from '../use-rest.ts';
import { Invitations } from './invitations.tsx';

/** Somebody who is in a project, or is invited to it. */
interface Member {
  readonly userID: string;
  readonly username: string;
  readonly role: string;
  readonly invitation: string;
}

const HEADS = ['Member', 'Role', 'Invitation', 'Actions'];
const ROLES = [
  ['Viewer', 'Viewer: sees everything'],
  ['Executor', 'Executor: also changes and runs'],
  ['Owner', 'Owner: also invites and sets up'],
] as const;

/** Who is in a project, who is invited to it, and where the reader is invited to. */
export function Members({ project }: { readonly project: string }): ReactElement {
  const path = `/get_project_members/${encodeURIComponent(project)}/all`;
  const view = useRest<{ readonly data: readonly Member[] }>(path, ({ data }) => data.length === 0);
  return (
    <>
      <Invitations />
      <Invite project={project} onDone={view.retry} />
      <StateView view={view} what="the members" empty={null}>
        {({ data }) => (
          <Table label="Members" heads={HEADS}>
            {data.map((member) => (
              <Row key={member.userID} project={project} member={member} onDone={view.retry} />
            ))}
          </Table>
        )}
      </StateView>
    </>
  );
}

function Row({
  project: projectID,
  member: { userID, username, role, invitation },
  onDone,
}: {
  readonly project: string;
  readonly member: Member;
  onDone(): void;
}): ReactElement {
  const others = ROLES.filter(([value]) => value !== role);
  return (
    <tr>
      <th scope="row">
        <bdi>{username}</bdi>
      </th>
      <td>{role}</td>
      <td>{invitation}</td>
      <td>
        {others.map(([value]) => (
          <Act
            key={value}
            label={`Make ${value}`}
            name={`Make ${value}: ${username}`}
            run={() => callRest('/update_member_role', { projectID, userID, role: value })}
            onDone={onDone}
          />
        ))}
        <Act
          label="Remove"
          name={`Remove ${username}`}
          question="They no longer see this project. They can be invited again."
          run={() => callRest('/remove_invitation', { projectID, userID })}
          onDone={onDone}
        />
      </td>
    </tr>
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
      <summary>Invite somebody</summary>
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
