import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { ChoiceField, Form, TextField, type Texts } from '../form.tsx';
import { ADD_ARCHIVE, ADD_HUB } from './generated/hubs.ts';

const SOURCES = [
  ['git', 'a Git repository'],
  ['zip', 'a zip archive'],
] as const;

/** Adds a hub; it is read before it counts as added. */
export function AddHub({ project, onDone }: { readonly project: string; onDone(): void }): ReactElement {
  return (
    <details>
      <summary>Add a hub</summary>
      <Form submit="Add" run={(text) => add(project, text)} onDone={onDone}>
        <TextField name="name" label="Name" />
        <ChoiceField name="source" label="Type" choices={SOURCES} />
        <TextField name="url" label="Address" />
        <TextField name="branch" label="Branch or tag, of a repository" initial="main" isNeeded={false} />
        <TextField
          name="token"
          label="Token, where the repository is private"
          type="password"
          isNeeded={false}
        />
      </Form>
    </details>
  );
}

function add(projectID: string, text: Texts): Promise<unknown> {
  const same = { name: text('name'), repoURL: text('url'), remoteHub: '' };
  if (text('source') === 'zip') return ask(ADD_ARCHIVE, { projectID, request: same });
  const token = text('token');
  const proof =
    token === ''
      ? { isPrivate: false, authType: 'NONE' as const }
      : { isPrivate: true, authType: 'TOKEN' as const, token };
  return ask(ADD_HUB, { projectID, request: { ...same, repoBranch: text('branch') || 'main', ...proof } });
}
