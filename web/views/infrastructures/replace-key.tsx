import { type ReactElement, useState } from 'react';
import { ask } from '../../api/client.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { ActionButton } from '../action-button.tsx';
import { type ListedInfra, REPLACE_KEY } from './generated/infrastructures.ts';
import { YamlFile } from './yaml-file.tsx';
import './connect.css';

/** What came of a new key. */
export interface ReplacedKey {
  readonly infra: ListedInfra;
  /** Whether the agent has stored it. */
  readonly isHandedOver: boolean;
  readonly message: string;
  /** Manifest of the Secret. */
  readonly secret: string;
}

/** Replaces the key of an agent, after a question. The reader says whether the agent that is connected gets the new one. */
export function ReplaceKey({
  project,
  infra,
  onDone,
}: {
  readonly project: string;
  readonly infra: ListedInfra;
  onDone(replaced: ReplacedKey): void;
}): ReactElement {
  const [handOver, setHandOver] = useState(true);
  const { infraID, name } = infra;
  return (
    <ActionButton
      label="Replace key"
      name={`Replace key of ${name}`}
      question="The former key is worth nothing from then on, also over connections that are open, and so are links to manifests that were made before."
      about={
        <label>
          <input
            type="checkbox"
            checked={handOver}
            onChange={(event) => setHandOver(event.currentTarget.checked)}
          />{' '}
          Give the new key to the agent that is connected now. Leave this out if somebody else may be
          connected with the former key.
        </label>
      }
      run={async () => {
        const { rotateInfraKey } = await ask(REPLACE_KEY, { projectID: project, infraID, handOver });
        onDone({ infra, ...rotateInfraKey });
      }}
      onDone={() => {}}
    />
  );
}

/** What came of a new key, and the Secret to apply where the agent has not got it. Shown once. */
export function NewKey({
  replaced: { infra, isHandedOver, message, secret },
  onClose,
}: {
  readonly replaced: ReplacedKey;
  onClose(): void;
}): ReactElement {
  return (
    <section className="connect" aria-label={`New key of ${plainText(infra.name)}`}>
      <h2>
        New key of <bdi>{infra.name}</bdi>
      </h2>
      <p role="status">{message}</p>
      {isHandedOver ? null : (
        <>
          <p>
            <YamlFile name="agent-key.yaml" text={secret} />, then apply it in that cluster. It holds the key:
            keep it to yourself. It is not shown again. In the folder with the file, with a kubeconfig of that
            cluster:
          </p>
          <pre className="text">kubectl apply -f agent-key.yaml</pre>
        </>
      )}
      <Button label="Close" name={`Close the new key of ${infra.name}`} onClick={onClose} />
    </section>
  );
}
