import type { ReactElement } from 'react';
import { callRest } from '../../api/client.ts';
import { Table } from '../../parts/table/table.tsx';
import { Act } from '../act.tsx';
import { ChoiceField, Form, TextField } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { useRest } from '../use-rest.ts';

/** A user, as administrators see one. */
interface User {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
  readonly role: string;
  /** Milliseconds since the epoch, where the account is deactivated. */
  readonly deactivatedAt?: number;
}

const HEADS = ['User', 'E-mail', 'Role', 'State', 'Actions'];
const ROLES = [
  ['user', 'user'],
  ['admin', 'administrator'],
] as const;

/** Everybody who has an account; for administrators. */
export function Users(): ReactElement {
  const view = useRest<readonly User[]>('/users', (users) => users.length === 0);
  return (
    <StateView view={view} what="the users" empty={null}>
      {(users) => (
        <>
          <details>
            <summary>Add a user</summary>
            <Form
              submit="Add"
              run={(text, typed) =>
                callRest('/create_user', {
                  ...{ username: text('username'), email: text('email'), role: text('role') },
                  password: typed('password'),
                })
              }
              onDone={view.retry}
            >
              <TextField name="username" label="User name" fills="username" />
              <TextField name="email" label="E-mail" type="email" isNeeded={false} />
              <TextField name="password" label="First password" type="password" fills="new-password" />
              <ChoiceField name="role" label="Role" choices={ROLES} />
            </Form>
          </details>
          <Table label="Users" heads={HEADS}>
            {users.map((user) => (
              <Row key={user.userID} user={user} onDone={view.retry} />
            ))}
          </Table>
        </>
      )}
    </StateView>
  );
}

function Row({ user, onDone }: { readonly user: User; onDone(): void }): ReactElement {
  const { username, email, role, deactivatedAt } = user;
  const isActive = deactivatedAt === undefined;
  const name = isActive ? 'Deactivate' : 'Activate';
  return (
    <tr>
      <th scope="row">
        <bdi>{username}</bdi>
      </th>
      <td>
        <bdi>{email}</bdi>
      </td>
      <td>{ROLES.find(([value]) => value === role)?.[1]}</td>
      <td>{isActive ? 'Active' : 'Deactivated'}</td>
      <td>
        <Act
          label={name}
          name={`${name} ${username}`}
          {...(isActive && { question: 'Their sessions and tokens end at once.' })}
          run={() => callRest('/update/state', { username, isDeactivate: isActive })}
          onDone={onDone}
        />
      </td>
    </tr>
  );
}
