import { type Context, memberOf } from '../access/context.ts';
import type { Arguments } from '../access/operations.ts';
import { found } from '../access/refusal.ts';
import { richAnswer } from '../http/rest.ts';
import type { HubFolder } from './content/hub-folder.ts';
import { readIcon } from './content/read-hub.ts';
import { openCopy } from './copies.ts';
import { openDefaultHub } from './default-hub.ts';
import { hubRows } from './hubs.ts';

/** A picture of the default hub. @throws Refusal if there is none */
export async function defaultIcon(args: Arguments): Promise<object> {
  return iconOf(await openDefaultHub(), args);
}

/** A picture of a project's hub, by the hub's name. @throws Refusal if there is none */
export async function projectIcon(args: Arguments, context: Context): Promise<object> {
  const rows = await hubRows(context.plane.store.read, memberOf(context).project);
  const row = found(
    rows.find(({ name }) => name === args.hubName),
    'there is no such picture',
  );
  return iconOf(await openCopy(context.plane, row), args);
}

async function iconOf(hub: HubFolder, { chartName, iconName }: Arguments): Promise<object> {
  const icon = found(await readIcon(hub, String(chartName), String(iconName)), 'there is no such picture');
  return richAnswer({
    headers: {
      'content-type': icon.type,
      // A picture from a foreign hub may be opened as a page; the policy prevents scripts in it.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    },
    body: icon.bytes,
  });
}
