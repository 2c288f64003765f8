import type { ReactElement } from 'react';
import type { NoticeEvent, WebhookFormat } from '../../../src/controlplane/schema/generated/types.ts';
import { ChoiceField, TextField, type Texts } from '../form.tsx';
import type { ListedWebhook } from './generated/webhooks.ts';

/** Events for webhooks, with their texts. */
export const EVENTS: readonly (readonly [event: NoticeEvent, words: string])[] = [
  ['RUN_ENDED', 'a run has ended'],
  ['VERDICT_CHANGED', 'the verdict of an experiment has changed'],
  ['INFRA_LOST', 'an infrastructure has gone away'],
  ['HALTED', 'chaos was halted'],
];
const FORMATS: readonly (readonly [format: WebhookFormat, words: string])[] = [
  ['GENERIC', 'JSON with all that is known'],
  ['SLACK', 'a message of Slack'],
  ['TEAMS', 'a card of Microsoft Teams'],
];

/** The fields of a webhook. The page does not know its address, so leaving the field empty keeps it. */
export function WebhookFields({ webhook }: { readonly webhook?: ListedWebhook }): ReactElement {
  const isNew = webhook === undefined;
  return (
    <>
      <TextField name="name" label="Name" initial={webhook?.name} />
      <TextField
        name="url"
        label={isNew ? 'Address' : `Another address than ${webhook.shownURL}…`}
        type="url"
        isNeeded={isNew}
      />
      <ChoiceField name="format" label="Format" choices={FORMATS} initial={webhook?.format} />
      <fieldset>
        <legend>Events</legend>
        {EVENTS.map(([event, words]) => (
          <label key={event}>
            <input type="checkbox" name={event} defaultChecked={isNew || webhook.events.includes(event)} />{' '}
            {words}
          </label>
        ))}
      </fieldset>
    </>
  );
}

/** The values of the fields, without the address. Pure. */
export function readWebhook(text: Texts): { name: string; format: WebhookFormat; events: NoticeEvent[] } {
  const format = FORMATS.find(([one]) => one === text('format'))?.[0] ?? 'GENERIC';
  const events = EVENTS.filter(([event]) => text(event) !== '').map(([event]) => event);
  return { name: text('name'), format, events };
}
