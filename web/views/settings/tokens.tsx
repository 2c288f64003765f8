import { type ReactElement, useState } from 'react';
import { callRest } from '../../api/client.ts';
import { Table } from '../../parts/table/table.tsx';
import { Act } from '../act.tsx';
import { Form, TextField } from '../form.tsx';
import { StateView } from '../state-view.tsx';
import { useRest } from '../use-rest.ts';

/** A token for programs, without its text. */
interface Token {
  readonly id: string;
  readonly name: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
  /** Milliseconds since the epoch. */
  readonly created_at: number;
}

const HEADS = ['Token', 'Made', 'Ends', 'Actions'];
const DAYS = 30;

/** Tokens by which programs act as the reader. The text of one is shown once, when it is made. */
export function Tokens({ user }: { readonly user: string }): ReactElement {
  const [made, setMade] = useState<string>();
  const view = useRest<{ readonly apiTokens: readonly Token[] }>(
    `/token/${encodeURIComponent(user)}`,
    ({ apiTokens }) => apiTokens.length === 0,
  );
  const make = async (name: string, days: string): Promise<void> => {
    const wanted = { user_id: user, name, days_until_expiration: Number(days) };
    const answer = (await callRest('/create_token', wanted)) as { readonly accessToken: string };
    setMade(answer.accessToken);
  };
  return (
    <>
      <h2>Tokens for programs</h2>
      <Form submit="Make a token" run={(text) => make(text('token'), text('days'))} onDone={view.retry}>
        <TextField name="token" label="What it is for" />
        <TextField name="days" label="Days until it ends" type="number" initial={String(DAYS)} />
      </Form>
      {made === undefined ? null : <Made text={made} onClose={() => setMade(undefined)} />}
      <StateView view={view} what="your tokens" empty={<p className="hint">There is no token yet.</p>}>
        {({ apiTokens }) => (
          <Table label="Tokens" heads={HEADS}>
            {apiTokens.map(({ id, name, created_at, expires_at }) => (
              <tr key={id}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td>{day(created_at)}</td>
                <td>{day(expires_at * 1000)}</td>
                <td>
                  <Act
                    label="Revoke"
                    name={`Revoke ${name}`}
                    question="Programs that use it are refused from now on."
                    run={() => callRest('/remove_token', { userID: user, token: id })}
                    onDone={view.retry}
                  />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </StateView>
    </>
  );
}

function Made({ text, onClose }: { readonly text: string; onClose(): void }): ReactElement {
  return (
    <section aria-label="The new token">
      <p>Copy the token now: it is not shown again.</p>
      <pre className="secret">{text}</pre>
      <button type="button" className="button" onClick={onClose}>
        I have copied it
      </button>
    </section>
  );
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
