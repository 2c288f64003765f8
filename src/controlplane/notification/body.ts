import { createHmac } from 'node:crypto';
import type { WebhookRow } from '../store/tables/notifications.ts';
import type { Notice } from './notify.ts';

/** Contents of a body. */
interface SentNotice extends Omit<Notice, 'event'> {
  readonly event: string;
  /** Of the delivery. */
  readonly id: string;
  /** Time of the event, in milliseconds since the epoch. */
  readonly at: number;
}

/** The body of a request to a webhook, as JSON. Pure. */
export function bodyOf(format: WebhookRow['format'], notice: SentNotice): string {
  return JSON.stringify(BODIES[format](notice));
}

const BODIES: Readonly<Record<WebhookRow['format'], (notice: SentNotice) => object>> = {
  GENERIC: ({ id, event, project, at, summary, details }) => ({
    ...{ id, event, project, time: new Date(at).toISOString(), summary, details },
  }),
  SLACK: ({ summary, details }) => ({
    text: forSlack(summary),
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: shortened(summary, 3_000) } },
      ...contextOf(details),
    ],
  }),
  TEAMS: ({ summary, details }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', weight: 'Bolder', wrap: true, text: withoutMarkup(summary) },
            {
              type: 'FactSet',
              facts: factsOf(details).map(([title, value]) => ({ title, value: withoutMarkup(value) })),
            },
          ],
        },
      },
    ],
  }),
};

/** Slack refuses a block without elements, and more than ten. */
function contextOf(details: Notice['details']): object[] {
  const elements = factsOf(details)
    .slice(0, 10)
    .map(([name, value]) => ({ type: 'plain_text', text: shortened(`${name}: ${value}`, 2_000) }));
  return elements.length === 0 ? [] : [{ type: 'context', elements }];
}

function factsOf(details: Notice['details']): [string, string][] {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, `${value}`]);
}

/** Escapes the three characters that Slack requires: with them a text could notify a whole channel. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Users choose names: a name must not become a link or a heading in a channel. */
function withoutMarkup(text: string): string {
  return text.replace(/[[\]()*_~`#<>]/g, (sign) => `\\${sign}`);
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/**
 * The header with which a receiver verifies the sender and the age of a body: `t=SECONDS,v1=HMAC`, over the seconds, a dot and
 * the body. Pure.
 */
export function signatureOf(secret: string, body: string, at: number): string {
  const seconds = Math.floor(at / 1000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
