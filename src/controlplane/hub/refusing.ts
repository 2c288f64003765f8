import { Refusal } from '../access/refusal.ts';
import { RemoteError } from '../remote/index.ts';

/** What a check gives; what it finds wrong with an address or a proof is a refusal of the request. @throws Refusal */
export function refusing<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RemoteError)
      throw new Refusal('invalid', error.message, { fields: [field], cause: error });
    throw error;
  }
}
