import { existsSync } from 'node:fs';
import type { AwsAction, AwsInput, AwsOutput } from '@turnsole/cloud/aws/actions';
import type { AwsCredentials } from '@turnsole/cloud/aws/credentials';
import type { AwsConnection } from '@turnsole/cloud/aws/open';
import { UnseenTargetsError } from '../../../experiment/injection/errors.ts';
import type { Tunables } from '../../../experiment/injection/tunables.ts';
import { isCloudError } from '../cloud-error.ts';
import { loadCloudPart } from '../load-cloud-part.ts';
import { patiently } from '../patiently.ts';
import type { CallContext } from '../resource-fault.ts';
import { cloudErrorOf } from './aws-errors.ts';
import type { AwsTunables } from './tunables.ts';

/** Calls that a fault of AWS makes. */
export class AwsApi {
  readonly region: string;
  readonly #connection: AwsConnection;
  readonly #calls: readonly string[];
  #account: string | undefined;

  /** @param calls the only actions that may be called: those that the policy of the fault allows */
  constructor(connection: AwsConnection, region: string, calls: readonly string[]) {
    this.#connection = connection;
    this.region = region;
    this.#calls = calls;
  }

  /**
   * Makes a call, again while it is throttled or not answered. A call that changes something is not broken off by an abort: what comes of
   * it has to be known before it is reverted.
   *
   * @throws CloudError
   */
  async call<A extends AwsAction>(
    action: A,
    input: AwsInput<A>,
    { clock, random, signal, patienceMs, awayMs }: CallContext,
  ): Promise<AwsOutput<A>> {
    if (!this.#calls.includes(action)) throw new TypeError(`the fault does not say that it calls ${action}`);
    const isRead = /:(Describe|Get|List)/.test(action);
    const attempt = async (): Promise<AwsOutput<A>> => {
      try {
        return await this.#connection.call(action, input, isRead ? signal : new AbortController().signal);
      } catch (thrown) {
        signal.throwIfAborted();
        throw cloudErrorOf(action, thrown);
      }
    };
    return patiently(attempt, { clock, random, signal, limitMs: patienceMs, awayMs });
  }

  /**
   * The account and the region, for names: `123456789012/eu-west-1`. The first call of a run, so credentials that do not work are found
   * out here.
   *
   * @throws UnseenTargetsError when there are no credentials
   */
  async place(context: CallContext): Promise<string> {
    try {
      this.#account ??= (await this.call('sts:GetCallerIdentity', {}, context)).Account ?? 'unknown';
    } catch (error) {
      if (!isCloudError(error, 'denied') || !/Credentials|TokenProvider/.test(error.code)) throw error;
      throw new UnseenTargetsError(`there are no credentials of AWS here: ${error.message}`);
    }
    return `${this.#account}/${this.region}`;
  }
}

/** Opens the API as the settings say. */
export async function openAwsApi(
  settings: Tunables<AwsTunables>,
  region: string,
  calls: readonly string[],
): Promise<AwsApi> {
  const { openAws } = await loadCloudPart('AWS', () => import('@turnsole/cloud/aws/open'));
  const { AWS_ENDPOINT_URL: endpoint } = settings;
  const credentials = credentialsOf(settings, existsSync);
  const connection = openAws({ region, credentials, ...(endpoint === '' ? {} : { endpoint }) });
  return new AwsApi(connection, region, calls);
}

/** Which credentials settings mean. Pure, but for looking whether the file is there. */
export function credentialsOf(
  settings: Tunables<AwsTunables>,
  isThere: (file: string) => boolean,
): AwsCredentials {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: sessionToken } = settings;
  const { AWS_ROLE_ARN: roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_PROFILE: profile } = settings;
  const { AWS_SHARED_CREDENTIALS_FILE: file } = settings;
  if (id !== '' && secret !== '') {
    return { key: { id, secret, ...(sessionToken === '' ? {} : { sessionToken }) } };
  }
  const ofProfile = profile === '' ? {} : { profile };
  if (file !== '' && isThere(file)) return { file, ...ofProfile };
  if (roleArn !== '' && tokenFile !== '') return { webIdentity: { roleArn, tokenFile } };
  return ofProfile;
}
