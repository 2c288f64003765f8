import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Table } from '../../parts/table/table.tsx';
import { Act } from '../act.tsx';
import { type ListedDelivery, type ListedWebhook, RETRY_DELIVERY } from './webhooks-query.ts';

const HEADS = ['What', 'To', 'When', 'State', 'Attempts', 'Last error', 'Actions'];
const STATES = { WAITING: 'waiting', DELIVERED: 'delivered', DEAD: 'given up' } as const;

/** The latest of what was told to webhooks; what was given up can be tried again. */
export function Deliveries({
  project: projectID,
  deliveries,
  webhooks,
  onDone,
}: {
  readonly project: string;
  readonly deliveries: readonly ListedDelivery[];
  readonly webhooks: readonly ListedWebhook[];
  onDone(): void;
}): ReactElement {
  const names = new Map(webhooks.map(({ webhookID, name }) => [webhookID, name]));
  return (
    <>
      <h2>Deliveries</h2>
      <p>
        <button type="button" className="button" onClick={onDone}>
          Look again
        </button>
      </p>
      {deliveries.length === 0 ? (
        <p className="hint">Nothing was told yet.</p>
      ) : (
        <Table label="Deliveries" heads={HEADS}>
          {deliveries.map(({ deliveryID: id, webhookID, event, summary, state, attempts, ...rest }) => (
            <tr key={id}>
              <th scope="row" title={event}>
                <bdi>{summary}</bdi>
              </th>
              <td>
                <bdi>{names.get(webhookID) ?? 'a deleted webhook'}</bdi>
              </td>
              <td title={new Date(Number(rest.createdAt)).toISOString()}>
                {agoWords(Number(rest.createdAt), Date.now())}
              </td>
              <td>{STATES[state]}</td>
              <td>{attempts}</td>
              <td>{rest.lastError === '' ? '–' : <bdi>{rest.lastError}</bdi>}</td>
              <td>
                {state === 'DEAD' ? (
                  <Act
                    label="Try again"
                    name={`Try again: ${summary}`}
                    run={() => ask(RETRY_DELIVERY, { projectID, id })}
                    onDone={onDone}
                  />
                ) : null}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
