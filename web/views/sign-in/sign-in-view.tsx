import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { returnPath } from '../../address/return.ts';
import { listPath } from '../../address/routes.ts';
import { callRest } from '../../api/client.ts';
import { TextField } from '../form.tsx';
import { useTitle } from '../use-title.ts';
import './sign-in.css';

/** The server's answer to a sign-in. */
interface SignedIn {
  readonly projectID: string;
  readonly isInitialLogin: boolean;
}

/** Addresses of this machine, where `turnsole ui` serves its page. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Name and password; an initial password has to be changed at once; then returns to the requested page. */
export function SignInView(): ReactElement {
  const [, navigate] = useLocation();
  const search = useSearch();
  const queries = useQueryClient();
  const [initial, setInitial] = useState<{ readonly username: string; readonly password: string }>();
  const goOn = (projectID: string): void => {
    queries.clear();
    navigate(returnPath(search) ?? listPath(projectID, 'overview'), { replace: true });
  };
  const signIn = useMutation({
    mutationFn: async ({ username, password }: { readonly username: string; readonly password: string }) =>
      (await callRest('/login?cookie=true', { username, password })) as SignedIn,
    onSuccess: ({ projectID, isInitialLogin }, given) => {
      if (isInitialLogin) setInitial(given);
      else goOn(projectID);
    },
  });
  const change = useMutation({
    mutationFn: async (newPassword: string) => {
      await callRest('/update/password', {
        username: initial?.username,
        oldPassword: initial?.password,
        newPassword,
      });
      return signIn.mutateAsync({ username: initial?.username ?? '', password: newPassword });
    },
  });
  useTitle('Sign in');
  return (
    <main className="sign-in">
      <h1>Turnsole</h1>
      {initial === undefined && LOOPBACK.test(location.hostname) ? <AnotherLink /> : null}
      {initial === undefined ? (
        <form
          onSubmit={(event) => {
            const given = { username: '', password: '', ...fieldsOf(event) };
            // Another attempt may begin while one runs; the same one is running already.
            const { username, password } = signIn.variables ?? {};
            if (signIn.isPending && username === given.username && password === given.password) return;
            signIn.mutate(given);
          }}
        >
          <TextField name="username" label="User name" fills="username" />
          <TextField name="password" label="Password" type="password" fills="current-password" />
          <Refused error={signIn.error} />
          <Submit label="Sign in" isBusy={signIn.isPending} />
        </form>
      ) : (
        <form
          key="change"
          onSubmit={(event) => {
            const { newPassword = '' } = fieldsOf(event);
            if (!change.isPending) change.mutate(newPassword);
          }}
        >
          <p>This password was set by an administrator. Choose your own to continue.</p>
          <label>
            User name
            <input value={initial.username} autoComplete="username" readOnly />
          </label>
          <TextField name="newPassword" label="New password" type="password" fills="new-password" />
          <Refused error={change.error} />
          <Submit label="Change password and continue" isBusy={change.isPending} />
        </form>
      )}
    </main>
  );
}

/** Of a page that somebody has started for oneself: there is no password, and its terminal gets another link. */
function AnotherLink(): ReactElement {
  const link = useMutation({ mutationFn: () => callRest('/enter', {}) });
  return (
    <div className="hint">
      <p>
        A page of <code>turnsole ui</code> has no password: the link in its terminal signs one browser in,
        once.
      </p>
      <p>
        <button type="button" className="link" disabled={link.isPending} onClick={() => link.mutate()}>
          Print another link in its terminal
        </button>
      </p>
      <p role="status">{link.isSuccess ? 'It stands there now; open it in this browser.' : null}</p>
      <Refused error={link.error} />
    </div>
  );
}

function fieldsOf(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  const entries = [...new FormData(event.currentTarget)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/** What the API's own words, which other clients compare, mean to the reader. */
const SAID: Readonly<Record<string, string>> = {
  'Invalid Credentials': 'The user name or the password is wrong.',
};

function Refused({ error }: { readonly error: Error | null }): ReactElement | null {
  return error === null ? null : <p role="alert">{SAID[error.message] ?? error.message}</p>;
}

function Submit({ label, isBusy }: { readonly label: string; readonly isBusy: boolean }): ReactElement {
  return (
    <button type="submit" className="button" aria-busy={isBusy}>
      {label}
    </button>
  );
}
