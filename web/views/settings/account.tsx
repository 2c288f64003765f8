import type { ReactElement } from 'react';
import { callRest } from '../../api/client.ts';
import { Form, TextField } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { useRest } from '../use-rest.ts';
import { Tokens } from './tokens.tsx';

/** The reader's own user, from the API. */
interface Myself {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
  readonly name: string;
}

/** The reader's own details, password, and tokens for programs. */
export function Account(): ReactElement {
  const view = useRest<Myself>('/get_user/me');
  return (
    <StateView view={view} what="your account">
      {(me) => (
        <>
          <h2>
            Profile of <bdi>{me.username}</bdi>
          </h2>
          <Form
            key={`${me.name} ${me.email}`}
            submit="Save"
            run={(text) => callRest('/update/details', { name: text('name'), email: text('email') })}
            onDone={view.retry}
          >
            <TextField name="name" label="Name" initial={me.name} isNeeded={false} />
            <TextField name="email" label="E-mail" type="email" initial={me.email} isNeeded={false} />
          </Form>
          <h2>Password</h2>
          <p className="hint">All other sessions and all tokens of this account end when it changes.</p>
          <Form
            submit="Change password"
            run={(_, secret) =>
              callRest('/update/password', {
                username: me.username,
                oldPassword: secret('old'),
                newPassword: secret('new'),
              })
            }
          >
            <label>
              User name
              <input value={me.username} autoComplete="username" readOnly />
            </label>
            <TextField name="old" label="Password now" type="password" fills="current-password" />
            <TextField name="new" label="New password" type="password" fills="new-password" />
          </Form>
          <Tokens user={me.userID} />
        </>
      )}
    </StateView>
  );
}
