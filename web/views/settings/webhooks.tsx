import { type ReactElement, useState } from 'react';
import { ask } from '../../api/client.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { Live } from '../../parts/live/live.tsx';
import { actsColumn, textColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { ActionButton } from '../action-button.tsx';
import { Form, type Texts } from '../form.tsx';
import { ListTable } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { Deliveries } from './deliveries.tsx';
import {
  CREATE_WEBHOOK,
  DELETE_WEBHOOK,
  type ListedWebhook,
  TEST_WEBHOOK,
  UPDATE_WEBHOOK,
  WEBHOOKS,
} from './generated/webhooks.ts';
import { EVENTS, readWebhook, WebhookFields } from './webhook-form.tsx';

/** The webhooks of a project, and their deliveries. */
export function Webhooks({ project: projectID }: { readonly project: string }): ReactElement {
  const [secret, setSecret] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const view = useAskProject(WEBHOOKS, { projectID }, ['webhook']);
  const may = usePermissions(projectID);
  const create = async (text: Texts): Promise<void> => {
    const request = { ...readWebhook(text), url: text('url') };
    setSecret((await ask(CREATE_WEBHOOK, { projectID, request })).createWebhook.secret);
  };
  return (
    <>
      <p className="facts">
        <Live connection={view.connection} />
      </p>
      {may('createWebhook') ? (
        <details>
          <summary>Add a webhook</summary>
          <Form submit="Add" run={create} onDone={view.retry}>
            <WebhookFields />
          </Form>
        </details>
      ) : null}
      {secret === undefined ? null : <Secret text={secret} onClose={() => setSecret(undefined)} />}
      <StateView view={view} what="the webhooks">
        {({ listWebhooks, listWebhookDeliveries }) => (
          <>
            {listWebhooks.length === 0 ? (
              <p className="hint">This project has no webhooks yet.</p>
            ) : (
              <ListTable
                name="webhooks"
                label="Webhooks"
                columns={columnsOf(projectID, setEdited, view.retry)}
                rows={listWebhooks}
                keyOf={({ webhookID }) => webhookID}
              />
            )}
            {listWebhooks
              .filter(({ webhookID }) => webhookID === edited)
              .map((webhook) => (
                <Edit
                  key={webhook.webhookID}
                  project={projectID}
                  webhook={webhook}
                  onDone={() => {
                    setEdited(undefined);
                    view.retry();
                  }}
                />
              ))}
            <Deliveries
              project={projectID}
              deliveries={listWebhookDeliveries}
              webhooks={listWebhooks}
              onDone={view.retry}
            />
          </>
        )}
      </StateView>
    </>
  );
}

function columnsOf(
  projectID: string,
  onEdit: (id: string) => void,
  onDone: () => void,
): readonly Column<ListedWebhook>[] {
  return [
    textColumn('name', 'Webhook', ({ name }) => name),
    { id: 'address', name: 'Address', cell: ({ shownURL }) => <bdi>{shownURL}</bdi> },
    {
      id: 'events',
      name: 'Sent when',
      cell: ({ events }) =>
        EVENTS.filter(([event]) => events.includes(event))
          .map(([, words]) => words)
          .join(', '),
    },
    textColumn('state', 'State', ({ enabled }) => (enabled ? 'on' : 'off')),
    actsColumn((webhook) => <Acts {...{ projectID, webhook, onEdit, onDone }} />),
  ];
}

function Acts({
  projectID,
  webhook: { webhookID: id, name, enabled },
  onEdit,
  onDone,
}: {
  readonly projectID: string;
  readonly webhook: ListedWebhook;
  onEdit(id: string): void;
  onDone(): void;
}): ReactElement {
  const turn = enabled ? 'Turn off' : 'Turn on';
  return (
    <>
      <Button look="act" label="Edit" name={`Edit ${name}`} onClick={() => onEdit(id)} />{' '}
      <ActionButton
        label="Test"
        name={`Test ${name}`}
        run={() => ask(TEST_WEBHOOK, { projectID, id })}
        onDone={onDone}
      />
      <ActionButton
        label={turn}
        name={`${turn} ${name}`}
        run={() => ask(UPDATE_WEBHOOK, { projectID, request: { webhookID: id, enabled: !enabled } })}
        onDone={onDone}
      />
      <ActionButton
        label="Delete"
        name={`Delete ${name}`}
        question="It receives no more events, and its waiting deliveries are deleted."
        run={() => ask(DELETE_WEBHOOK, { projectID, id })}
        onDone={onDone}
      />
    </>
  );
}

function Edit({
  project: projectID,
  webhook,
  onDone,
}: {
  readonly project: string;
  readonly webhook: ListedWebhook;
  onDone(): void;
}): ReactElement {
  const save = (text: Texts): Promise<unknown> => {
    const url = text('url');
    const given = { webhookID: webhook.webhookID, ...readWebhook(text), ...(url !== '' && { url }) };
    return ask(UPDATE_WEBHOOK, { projectID, request: given });
  };
  return (
    <section aria-label={`Edit ${plainText(webhook.name)}`}>
      <h2>
        Edit <bdi>{webhook.name}</bdi>
      </h2>
      <Form submit="Save" run={save} onDone={onDone}>
        <WebhookFields webhook={webhook} />
      </Form>
    </section>
  );
}

function Secret({ text, onClose }: { readonly text: string; onClose(): void }): ReactElement {
  return (
    <section aria-label="The secret of the webhook">
      <p>Bodies are signed with this secret. Copy it now: it is not shown again.</p>
      <pre className="secret">{text}</pre>
      <Button label="I have copied it" onClick={onClose} />
    </section>
  );
}
