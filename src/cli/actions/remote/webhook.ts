import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { oneNamed } from '../../remote/one-named.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, type Place, placeOf } from '../../remote/place.ts';
import { printable, renderObject, renderRows } from '../../remote/print-rows.ts';
import { type Row, time, VIEWS } from '../../remote/views.ts';

export interface AddWebhookOptions extends AnswerOptions {
  /** Words of the API in small letters. */
  readonly format: string;
  readonly event: readonly string[];
}

export interface ChangeWebhookOptions extends RemoteOptions {
  readonly name?: string;
  readonly format?: string;
  readonly event?: readonly string[];
}

interface Webhook extends Row {
  readonly webhookID: string;
  readonly name: string;
}

/** The address may hold a secret, so that it may come from a variable. */
const URL_VARIABLE = 'TURNSOLE_WEBHOOK_URL';

const CREATE = `mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) {
  webhook { webhookID name shownURL format events enabled } secret } }`;
const UPDATE = `mutation ($p: ID!, $r: UpdateWebhookRequest!) { updateWebhook(projectID: $p, request: $r) { webhookID } }`;
const DELETE = `mutation ($p: ID!, $i: ID!) { deleteWebhook(projectID: $p, webhookID: $i) }`;
const TEST = `mutation ($p: ID!, $i: ID!) { testWebhook(projectID: $p, webhookID: $i) }`;
const RETRY = `mutation ($p: ID!, $i: ID!) { retryWebhookDelivery(projectID: $p, deliveryID: $i) }`;
const DELIVERIES = `query ($p: ID!, $r: ListWebhookDeliveriesRequest) { listWebhookDeliveries(projectID: $p, request: $r) {
  deliveryID webhookID event summary state attempts lastError createdAt dueAt doneAt } }`;

/** Makes a webhook; standard output has the secret that signs its bodies, which no later answer has. @throws CommandError */
export async function add(
  name: string,
  url: string | undefined,
  options: AddWebhookOptions,
): Promise<number> {
  const address = url ?? process.env[URL_VARIABLE] ?? '';
  if (address === '')
    throw new CommandError(`give the address as an argument, or in ${URL_VARIABLE}`, 'OPTION_INVALID');
  const { client, project } = await placeOf(options);
  const r = { name, url: address, format: options.format.toUpperCase(), events: eventsOf(options.event) };
  const { createWebhook } = await client.graphql<{
    readonly createWebhook: { readonly webhook: Webhook; readonly secret: string };
  }>(CREATE, { p: project, r });
  if (options.output === 'table') {
    console.log(`webhook ${printable(name)} made (${createWebhook.webhook.webhookID})`);
    console.log(`secret: ${createWebhook.secret}`);
  } else console.log(renderObject(createWebhook, options.output));
  return EXIT.pass;
}

/** Changes what is given, and nothing else: its secret and its deliveries stay. @throws CommandError */
export async function change(
  name: string,
  url: string | undefined,
  options: ChangeWebhookOptions,
): Promise<number> {
  const { name: newName, format, event } = options;
  const address = url ?? process.env[URL_VARIABLE];
  const changes = {
    ...(newName !== undefined && { name: newName }),
    ...(address !== undefined && { url: address }),
    ...(format !== undefined && { format: format.toUpperCase() }),
    ...(event !== undefined && { events: eventsOf(event) }),
  };
  if (Object.keys(changes).length === 0)
    throw new CommandError(
      `nothing to change: give an address as an argument or in ${URL_VARIABLE}, --name, --format or --event`,
      'OPTION_INVALID',
    );
  const place = await placeOf(options);
  const { webhookID } = await webhookOf(place, name);
  await place.client.graphql(UPDATE, { p: place.project, r: { webhookID, ...changes } });
  console.log(`webhook ${printable(newName ?? name)} changed`);
  return EXIT.pass;
}

/** Events as the API has them. */
function eventsOf(words: readonly string[]): string[] {
  return words.map((word) => word.toUpperCase().replaceAll('-', '_'));
}

async function webhookOf({ client, project }: Place, wanted: string): Promise<Webhook> {
  const data = await client.graphql<{ readonly listWebhooks: readonly Webhook[] }>(VIEWS.webhook.document, {
    p: project,
  });
  return oneNamed(data.listWebhooks, wanted, { noun: 'webhook', id: 'webhookID' });
}

export async function show(name: string, options: AnswerOptions): Promise<number> {
  console.log(renderObject(await webhookOf(await placeOf(options), name), options.output));
  return EXIT.pass;
}

export const enable = (name: string, options: RemoteOptions): Promise<number> => turn(name, true, options);
export const disable = (name: string, options: RemoteOptions): Promise<number> => turn(name, false, options);

async function turn(name: string, enabled: boolean, options: RemoteOptions): Promise<number> {
  const place = await placeOf(options);
  const { webhookID } = await webhookOf(place, name);
  await place.client.graphql(UPDATE, { p: place.project, r: { webhookID, enabled } });
  console.log(`webhook ${printable(name)} ${enabled ? 'gets events' : 'gets no events'}`);
  return EXIT.pass;
}

/** Sends a test event. Its delivery is what `deliveries` shows. */
export async function test(name: string, options: RemoteOptions): Promise<number> {
  const place = await placeOf(options);
  const { webhookID } = await webhookOf(place, name);
  const { testWebhook } = await place.client.graphql<{ readonly testWebhook: string }>(TEST, {
    p: place.project,
    i: webhookID,
  });
  console.log(
    `a test event is being sent (${testWebhook}); "turnsole remote webhook deliveries ${printable(name)}" says whether it arrived`,
  );
  return EXIT.pass;
}

export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const place = await placeOf(options);
  const { webhookID } = await webhookOf(place, name);
  await place.client.graphql(DELETE, { p: place.project, i: webhookID });
  console.log(`webhook ${printable(name)} deleted`);
  return EXIT.pass;
}

/** Prints what was sent, what waits and what was given up, the newest first; of one webhook, or of all. */
export async function deliveries(name: string | undefined, options: AnswerOptions): Promise<number> {
  const place = await placeOf(options);
  const r = name === undefined ? {} : { webhookID: (await webhookOf(place, name)).webhookID };
  const { listWebhookDeliveries } = await place.client.graphql<{
    readonly listWebhookDeliveries: readonly Row[];
  }>(DELIVERIES, { p: place.project, r });
  const columns = [
    ['DELIVERY', ({ deliveryID }: Row) => deliveryID],
    ['EVENT', ({ event }: Row) => event],
    ['STATE', ({ state }: Row) => state],
    ['ATTEMPTS', ({ attempts }: Row) => attempts],
    ['TIME', ({ createdAt }: Row) => time(createdAt)],
    ['SUMMARY', ({ summary, lastError }: Row) => lastError || summary],
  ] as const;
  console.log(renderRows(listWebhookDeliveries, columns, options.output));
  return EXIT.pass;
}

/** Sends what was given up once more. */
export async function retry(delivery: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  await client.graphql(RETRY, { p: project, i: delivery });
  console.log(`delivery ${printable(delivery)} is being sent again`);
  return EXIT.pass;
}
