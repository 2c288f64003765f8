import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { actsColumn, countColumn, textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { ActionButton } from '../action-button.tsx';
import { type ListedDelivery, type ListedWebhook, RETRY_DELIVERY } from './generated/webhooks.ts';

const STATES = { WAITING: 'waiting', DELIVERED: 'delivered', DEAD: 'given up' } as const;

/** The latest deliveries to webhooks; those that were given up can be retried. */
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
  return (
    <>
      <h2>Deliveries</h2>
      <p>
        <Button label="Refresh" onClick={onDone} />
      </p>
      {deliveries.length === 0 ? (
        <p className="hint">There are no deliveries yet.</p>
      ) : (
        <LocalTable
          name="deliveries"
          label="Deliveries"
          columns={columnsOf(projectID, webhooks, onDone)}
          rows={deliveries}
          keyOf={({ deliveryID }) => deliveryID}
        />
      )}
    </>
  );
}

function columnsOf(
  projectID: string,
  webhooks: readonly ListedWebhook[],
  onDone: () => void,
): readonly Column<ListedDelivery>[] {
  const names = new Map(webhooks.map(({ webhookID, name }) => [webhookID, name]));
  return [
    {
      id: 'what',
      name: 'What',
      order: ({ summary }) => summary,
      cell: ({ event, summary }) => <bdi title={event}>{summary}</bdi>,
    },
    textColumn('to', 'To', ({ webhookID }) => names.get(webhookID) ?? 'a deleted webhook'),
    whenColumn('when', 'When', ({ createdAt }) => createdAt),
    textColumn('state', 'State', ({ state }) => STATES[state]),
    countColumn('attempts', 'Attempts', ({ attempts }) => attempts),
    {
      id: 'error',
      name: 'Last error',
      cell: ({ lastError }) => (lastError === '' ? '–' : <bdi>{lastError}</bdi>),
    },
    actsColumn(({ deliveryID: id, state, summary }) =>
      state === 'DEAD' ? (
        <ActionButton
          label="Try again"
          name={`Try again: ${summary}`}
          run={() => ask(RETRY_DELIVERY, { projectID, id })}
          onDone={onDone}
        />
      ) : null,
    ),
  ];
}
