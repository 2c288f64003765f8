import { randomInt } from 'node:crypto';
import { askNameServer, type Transport } from '@turnsole/kube/base/ask-name-server';

/** Longest time one resolver may take; most clients ask again after 5 s. */
const LIMIT_MS = 5_000;

/**
 * Asks the resolvers one after the other, and gives the first answer, with the number of the question.
 *
 * @param query a DNS message, without the length that TCP puts in front
 * @throws the error of the last one when none answers
 */
export async function ask(
  query: Buffer,
  resolvers: readonly string[],
  transport: Transport,
): Promise<Buffer> {
  let failure: unknown = new Error('the pod has no name servers');
  for (const address of resolvers) {
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      return await askNameServer({ address }, query, transport, { id: randomInt(0x10000), signal });
    } catch (error) {
      failure = signal.aborted
        ? new Error(`name server ${address} did not answer within ${LIMIT_MS / 1000} s`)
        : error;
    }
  }
  throw failure;
}
