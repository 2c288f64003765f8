import { type ReactElement, useState } from 'react';
import type { AuthType, GitConfig } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { Options } from '../../parts/options/options.tsx';
import { Form, TextField, type Texts } from '../form.tsx';
import { ENABLE_GIT, type ShownGit, UPDATE_GIT } from './generated/git.ts';

const PROOFS: readonly (readonly [type: AuthType, words: string])[] = [
  ['NONE', 'nothing: the repository is public'],
  ['TOKEN', 'a token'],
  ['BASIC', 'a user name and a password'],
  ['SSH', 'a private key of SSH'],
];

/** The form for the repository and its credentials. Secrets are never shown, so they have to be entered again. */
export function GitForm({
  project: projectID,
  git,
  onDone,
}: {
  readonly project: string;
  readonly git: ShownGit;
  onDone(): void;
}): ReactElement {
  const [proof, setProof] = useState<AuthType>(git.authType ?? 'NONE');
  const save = (text: Texts, typed: Texts): Promise<unknown> => {
    const variables = { projectID, configurations: readGit(proof, text, typed) };
    return git.enabled ? ask(UPDATE_GIT, variables) : ask(ENABLE_GIT, variables);
  };
  return (
    <>
      <div className="form">
        <label>
          Authentication
          <select
            value={proof}
            onChange={({ target }) => setProof(PROOFS.find(([one]) => one === target.value)?.[0] ?? proof)}
          >
            <Options choices={PROOFS} />
          </select>
        </label>
      </div>
      <Form submit={git.enabled ? 'Save' : 'Keep experiments in Git'} run={save} onDone={onDone}>
        <TextField name="repo" label="Repository" initial={git.repoURL ?? ''} />
        <TextField name="branch" label="Branch" initial={git.branch ?? 'main'} />
        <ProofFields proof={proof} git={git} />
      </Form>
    </>
  );
}

function ProofFields({
  proof,
  git,
}: {
  readonly proof: AuthType;
  readonly git: ShownGit;
}): ReactElement | null {
  switch (proof) {
    case 'NONE':
      return null;
    case 'TOKEN':
      return <TextField name="token" label="Token" type="password" />;
    case 'BASIC':
      return (
        <>
          <TextField name="user" label="User name" initial={git.userName ?? ''} />
          <TextField name="password" label="Password" type="password" />
        </>
      );
    case 'SSH':
      return (
        <label>
          Private key
          <textarea name="key" rows={4} required autoComplete="off" spellCheck={false} />
        </label>
      );
  }
}

/** The request from the form, with secrets as typed. Pure. */
function readGit(authType: AuthType, text: Texts, typed: Texts): GitConfig {
  const same = { authType, repoURL: text('repo'), branch: text('branch') };
  switch (authType) {
    case 'NONE':
      return same;
    case 'TOKEN':
      return { ...same, token: typed('token') };
    case 'BASIC':
      return { ...same, userName: text('user'), password: typed('password') };
    case 'SSH':
      return { ...same, sshPrivateKey: typed('key') };
  }
}
