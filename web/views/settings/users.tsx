import { type ReactElement, useState } from 'react';
import { LIST_ADDRESS } from '../../address/list.ts';
import { callRest } from '../../api/client.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { actsColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { PastTime } from '../../parts/time/past-time.tsx';
import { ActionButton } from '../action-button.tsx';
import { ChoiceField, Form, TextField } from '../form.tsx';
import { FilteredOut, ListTable, SearchField } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useRest } from '../use-rest.ts';

/** A user in the form for administrators. */
interface User {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  /** Milliseconds since the epoch, if the account is deactivated. */
  readonly deactivatedAt?: number;
}

const ROLES = [
  ['user', 'user'],
  ['admin', 'administrator'],
] as const;

/** All users; for administrators. */
export function Users(): ReactElement {
  const view = useRest<readonly User[]>('/users', (users) => users.length === 0);
  const { state, change } = useAddress(LIST_ADDRESS);
  const [reset, setReset] = useState<string>();
  const find = state.find.toLowerCase();
  return (
    <StateView view={view} what="the users">
      {(users) => {
        const shown = users.filter(({ username, email }) =>
          `${username} ${email}`.toLowerCase().includes(find),
        );
        return (
          <>
            <p className="facts">
              <span>
                Read <PastTime ms={view.readAtMs} />
              </span>
              <Button look="link" label="Refresh" onClick={view.retry} />
            </p>
            <AddUser onDone={view.retry} />
            {reset === undefined ? null : (
              <ResetPassword key={reset} username={reset} onDone={() => setReset(undefined)} />
            )}
            <SearchField value={state.find} onChange={(text) => change({ find: text }, 'replace')} />
            {shown.length === 0 ? (
              <FilteredOut what="user" hidden={users.length} onClear={() => change({ find: '' }, 'push')} />
            ) : (
              <ListTable
                name="users"
                label="Users"
                columns={columnsOf(setReset, view.retry)}
                rows={shown}
                keyOf={({ userID }) => userID}
              />
            )}
          </>
        );
      }}
    </StateView>
  );
}

function AddUser({ onDone }: { onDone(): void }): ReactElement {
  return (
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
        onDone={onDone}
      >
        <TextField name="username" label="User name" fills="username" />
        <TextField name="email" label="E-mail" type="email" isNeeded={false} />
        <TextField name="password" label="First password" type="password" fills="new-password" />
        <ChoiceField name="role" label="Role" choices={ROLES} />
      </Form>
    </details>
  );
}

/** Sets another password of a user, who has to change it at the next sign-in. */
function ResetPassword({ username, onDone }: { readonly username: string; onDone(): void }): ReactElement {
  return (
    <section aria-label={`Another password for ${plainText(username)}`}>
      <h2>
        Another password for <bdi>{username}</bdi>
      </h2>
      <p className="hint">Their sessions and tokens end. They choose a new password at the next sign-in.</p>
      <Form
        submit="Set the password"
        run={(_, typed) => callRest('/reset/password', { username, newPassword: typed('password') })}
        onDone={onDone}
      >
        <TextField name="password" label="New password" type="password" fills="new-password" />
      </Form>
      <Button look="link" label="Cancel" onClick={onDone} />
    </section>
  );
}

function columnsOf(reset: (username: string) => void, onDone: () => void): readonly Column<User>[] {
  return [
    textColumn('name', 'User', ({ username }) => username),
    textColumn('email', 'E-mail', ({ email }) => email),
    textColumn('role', 'Role', ({ role }) => ROLES.find(([value]) => value === role)?.[1] ?? ''),
    textColumn('state', 'State', ({ deactivatedAt }) =>
      deactivatedAt === undefined ? 'Active' : 'Deactivated',
    ),
    whenColumn('made', 'Made', ({ createdAt = 0 }) => createdAt),
    actsColumn(({ username, deactivatedAt }) => {
      const isActive = deactivatedAt === undefined;
      const name = isActive ? 'Deactivate' : 'Activate';
      return (
        <>
          <Button
            look="act"
            label="Reset password"
            name={`Reset password of ${username}`}
            onClick={() => reset(username)}
          />{' '}
          <ActionButton
            label={name}
            name={`${name} ${username}`}
            {...(isActive && { question: 'Their sessions and tokens end at once.' })}
            run={() => callRest('/update/state', { username, isDeactivate: isActive })}
            onDone={onDone}
          />
        </>
      );
    }),
  ];
}
