import { EXIT } from '../../../process/exit-codes.ts';
import { oneNamed } from '../../remote/one-named.ts';
import { openRemote, type RemoteOptions } from '../../remote/open-remote.ts';
import type { AnswerOptions } from '../../remote/place.ts';
import { printable, renderObject, renderRows } from '../../remote/print-rows.ts';
import type { RemoteClient } from '../../remote/remote-client.ts';
import { type Row, time } from '../../remote/views.ts';

export interface CreateTokenOptions extends AnswerOptions {
  /** Until it is worth nothing. Default: that of the server. */
  readonly days?: number;
}

interface Token extends Row {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

interface Caller {
  readonly client: RemoteClient;
  readonly userID: string;
}

async function callerOf(options: RemoteOptions): Promise<Caller> {
  const { client, userID } = await openRemote(options, process.env);
  return { client, userID };
}

async function tokensOf({ client, userID }: Caller): Promise<readonly Token[]> {
  const { apiTokens } = await client.rest<{ readonly apiTokens: readonly Token[] | null }>(
    'GET',
    `/token/${encodeURIComponent(userID)}`,
  );
  return apiTokens ?? [];
}

/** Prints the caller's tokens, without their texts. */
export async function list(options: AnswerOptions): Promise<number> {
  const rows = (await tokensOf(await callerOf(options))).map(({ token: _, ...row }) => row);
  const columns = [
    ['NAME', ({ name }: Row) => name],
    ['EXPIRES', ({ expires_at: seconds }: Row) => time(Number(seconds) * 1000)],
    ['ID', ({ id }: Row) => id],
  ] as const;
  console.log(renderRows(rows, columns, options.output));
  return EXIT.pass;
}

/** Makes a token for programs; standard output has nothing but its text, which no later answer has. */
export async function create(name: string, options: CreateTokenOptions): Promise<number> {
  const { client, userID } = await callerOf(options);
  const days = options.days === undefined ? {} : { days_until_expiration: options.days };
  const made = await client.rest<{ readonly accessToken: string }>('POST', '/create_token', {
    ...{ user_id: userID, name },
    ...days,
  });
  console.log(options.output === 'table' ? made.accessToken : renderObject(made, options.output));
  return EXIT.pass;
}

/** A token of the caller's is worth nothing from now on. */
export async function remove(name: string, options: RemoteOptions): Promise<number> {
  const caller = await callerOf(options);
  const { token } = oneNamed(await tokensOf(caller), name, { noun: 'token', id: 'id' });
  await caller.client.rest('POST', '/remove_token', { token, userID: caller.userID });
  console.log(`token ${printable(name)} removed`);
  return EXIT.pass;
}
