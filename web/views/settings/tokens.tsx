import { type ReactElement, useState } from 'react';
import { callRest } from '../../api/client.ts';
import { dayWords, exactWords } from '../../models/words/time.ts';
import { Button } from '../../parts/button/button.tsx';
import { actsColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { ActionButton } from '../action-button.tsx';
import { Form, TextField } from '../form.tsx';
import { ListTable } from '../list-parts.tsx';
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

const DAYS = 30;

/** Tokens with which programs act as the reader. The text of a token is shown once, at its creation. */
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
      <Form submit="Create a token" run={(text) => make(text('token'), text('days'))} onDone={view.retry}>
        <TextField name="token" label="Purpose" />
        <TextField name="days" label="Expires after (days)" type="number" initial={String(DAYS)} />
      </Form>
      {made === undefined ? null : <Made text={made} onClose={() => setMade(undefined)} />}
      <StateView view={view} what="your tokens" empty={<p className="hint">There is no token yet.</p>}>
        {({ apiTokens }) => (
          <ListTable
            name="tokens"
            label="Tokens"
            columns={columnsOf(user, view.retry)}
            rows={apiTokens}
            keyOf={({ id }) => id}
          />
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
      <Button label="I have copied it" onClick={onClose} />
    </section>
  );
}

function columnsOf(userID: string, onDone: () => void): readonly Column<Token>[] {
  return [
    textColumn('name', 'Token', ({ name }) => name),
    whenColumn('made', 'Made', ({ created_at }) => created_at),
    {
      id: 'ends',
      name: 'Ends',
      order: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => (
        <span title={exactWords(expires_at * 1000)}>{dayWords(expires_at * 1000)}</span>
      ),
    },
    actsColumn(({ id, name }) => (
      <ActionButton
        label="Revoke"
        name={`Revoke ${name}`}
        question="Programs that use it are refused from now on."
        run={() => callRest('/remove_token', { userID, token: id })}
        onDone={onDone}
      />
    )),
  ];
}
