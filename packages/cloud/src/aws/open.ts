import { type AwsAction, type AwsInput, type AwsOutput, SERVICES } from './actions.ts';
import { type AwsCredentials, providerOf } from './credentials.ts';

/** What a connection needs. */
interface AwsOptions {
  readonly region: string;
  /** Another address than the vendor's, for all services. */
  readonly endpoint?: string;
  readonly credentials: AwsCredentials;
}

/** Calls of AWS, one request each: the caller tries again what may pass. */
export interface AwsConnection {
  /**
   * Sends one request.
   *
   * @throws what the vendor's client throws: its `name` is the code of the error, `$metadata.httpStatusCode` the status
   */
  call<A extends AwsAction>(action: A, input: AwsInput<A>, signal: AbortSignal): Promise<AwsOutput<A>>;
}

/** Longest time for a connection, and for an answer. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 20_000;

/** The part of the vendor's clients that is used. */
interface Sender {
  send(command: unknown, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
}

/** Opens a connection. Sends nothing yet. */
export function openAws({ region, endpoint, credentials }: AwsOptions): AwsConnection {
  const config = {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    credentials: providerOf(credentials, { region, stsEndpoint: endpoint }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true },
  };
  const clients = new Map<string, Sender>();
  return {
    call: async (action, input, abortSignal) => {
      const service = action.slice(0, action.indexOf(':')) as keyof typeof SERVICES;
      const { makeClient, commands } = await SERVICES[service]();
      const client = clients.get(service) ?? (new makeClient(config) as unknown as Sender);
      clients.set(service, client);
      // Each action stands in the module of its service.
      const command = (commands as unknown as Record<string, new (given: unknown) => unknown>)[action];
      if (command === undefined) throw new TypeError(`there is no action ${action}`);
      return (await client.send(new command(input), { abortSignal })) as AwsOutput<typeof action>;
    },
  };
}
