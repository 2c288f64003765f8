import { Backoff } from '@turnsole/kube/base/backoff';
import type { ConfigMap, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, SECRETS } from '@turnsole/kube/kinds/resources';
import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import type { Answer } from '../../agent-link/answer.ts';
import type { ControlPlaneClient } from '../../agent-link/client.ts';
import type { InfraIdentity } from '../../agent-link/settings.ts';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../api/agent-objects.ts';

/** What registering needs. */
interface RegistrationOptions extends BasicsWithRandom {
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly namespace: string;
  readonly identity: InfraIdentity;
  /** Waits for what has to run before an infrastructure is confirmed; not asked where it is confirmed already. */
  readonly beforeConfirming: (signal: AbortSignal) => Promise<void>;
  /** Called with the reason why the infrastructure is not confirmed yet. */
  readonly onProblem: (why: string) => void;
}

type TryOptions = Omit<RegistrationOptions, 'onProblem'>;

const DOCUMENT = `mutation ConfirmInfraRegistration($request: InfraIdentity!) {
  confirmInfraRegistration(request: $request) { isInfraConfirmed newAccessKey infraID }
}`;

const BACKOFF = { baseMs: 1_000, maxMs: 300_000, jitter: 'equal' } as const;

/** What an answer to the confirmation means. */
export type Confirmation =
  | { readonly type: 'confirmed'; readonly accessKey: string }
  | { readonly type: 'not-confirmed'; readonly why: string };

/** Pure. No text of the answer is repeated where it may hold the new key. */
export function readConfirmation(answer: Answer): Confirmation {
  switch (answer.type) {
    case 'again':
      return { type: 'not-confirmed', why: answer.why };
    case 'refused':
      return { type: 'not-confirmed', why: answer.messages.join('; ') };
    case 'delivered': {
      const given = answer.data.confirmInfraRegistration;
      const { isInfraConfirmed, newAccessKey } = isObject(given) ? given : {};
      if (isInfraConfirmed === true && typeof newAccessKey === 'string' && newAccessKey !== '') {
        return { type: 'confirmed', accessKey: newAccessKey };
      }
      const why =
        isInfraConfirmed === true
          ? 'the server confirmed and gave no key'
          : 'the server does not know INFRA_ID with this ACCESS_KEY; apply the manifest of the infrastructure anew';
      return { type: 'not-confirmed', why };
    }
  }
}

/**
 * The key of a confirmed infrastructure: of its Secret, or of the server, which changes it once. Tries until it has one.
 *
 * The Secret is written before the ConfigMap: a death in between leads to a second confirmation with the new key, which the server
 * takes. Upstream's order makes the infrastructure useless then.
 */
export async function registeredKey(options: RegistrationOptions, signal: AbortSignal): Promise<string> {
  const { clock, random, logger, onProblem } = options;
  const backoff = new Backoff(BACKOFF, random);
  for (;;) {
    const found = await tryRegistration(options, signal);
    if (found.type === 'confirmed') return found.accessKey;
    onProblem(found.why);
    logger.warn({ detail: found.why }, 'the infrastructure is not confirmed; it is tried again');
    await clock.sleep(backoff.next(), signal);
  }
}

/**
 * One try: what ConfigMap and Secret say, and where they say that the infrastructure is not confirmed yet, what the server says.
 * @throws the signal's reason
 */
export async function tryRegistration(options: TryOptions, signal: AbortSignal): Promise<Confirmation> {
  const { client, namespace } = options;
  try {
    // One after the other: where neither can be read, always the ConfigMap is named.
    const config = await client.get<ConfigMap>(CONFIG_MAPS, AGENT_CONFIG_MAP, { namespace, signal });
    const secret = await client.get<Secret>(SECRETS, AGENT_SECRET, { namespace, signal });
    const stored = Buffer.from(secret.data?.ACCESS_KEY ?? '', 'base64').toString();
    const accessKey = stored === '' ? options.identity.accessKey : stored;
    if (config.data?.IS_INFRA_CONFIRMED === 'true') return { type: 'confirmed', accessKey };
    await options.beforeConfirming(signal);
    return await confirm(options, accessKey, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { type: 'not-confirmed', why: messageOf(error) };
  }
}

async function confirm(options: TryOptions, accessKey: string, signal: AbortSignal): Promise<Confirmation> {
  const request = { ...options.identity, accessKey };
  const confirmation = readConfirmation(
    await options.server.send({ query: DOCUMENT, variables: { request } }, signal),
  );
  if (confirmation.type === 'confirmed') await storeKey(options, confirmation.accessKey, signal);
  return confirmation;
}

/** Writes the new key until it is stored or the process ends: the server does not accept the old one any more. @throws the signal's reason */
export async function storeKey(
  { client, namespace, clock, random, logger }: TryOptions,
  accessKey: string,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff({ baseMs: 100, maxMs: 10_000, jitter: 'equal' }, random);
  const data = { ACCESS_KEY: Buffer.from(accessKey).toString('base64') };
  for (;;) {
    try {
      await client.patch(SECRETS, AGENT_SECRET, 'merge', { data }, { namespace });
      const confirmed = { data: { IS_INFRA_CONFIRMED: 'true' } };
      await client.patch(CONFIG_MAPS, AGENT_CONFIG_MAP, 'merge', confirmed, { namespace });
      return;
    } catch (error) {
      logger.warn({ detail: messageOf(error) }, 'the new key could not be stored; it is tried again');
      await clock.sleep(backoff.next(), signal);
    }
  }
}
