import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useEffect } from 'react';
import { useLocation } from 'wouter';
import { listPath } from '../../address/routes.ts';
import { callRest } from '../../api/client.ts';
import './sign-in.css';

/** Name and password; afterwards the reader's project. */
export function SignInView(): ReactElement {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const signIn = useMutation({
    mutationFn: async (form: FormData) => {
      const answer = await callRest('/login', {
        username: form.get('username'),
        password: form.get('password'),
      });
      return answer as { readonly projectID: string };
    },
    onSuccess: ({ projectID }) => {
      queries.clear();
      navigate(listPath(projectID, 'runs'), { replace: true });
    },
  });
  useEffect(() => {
    document.title = 'Sign in · Turnsole';
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    signIn.mutate(new FormData(event.currentTarget));
  };
  return (
    <main className="sign-in">
      <h1>Turnsole</h1>
      <form onSubmit={submit}>
        <label>
          User name
          <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        {signIn.error === null ? null : <p role="alert">{signIn.error.message}</p>}
        <button type="submit" className="button" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
