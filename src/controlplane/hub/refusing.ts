import { Refusal } from '../access/refusal.ts';
import { RemoteError } from '../remote/index.ts';

/** The result of a check. @throws Refusal for what it finds wrong with an address or credentials */
export function refusing<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RemoteError)
      throw new Refusal('invalid', error.message, { fields: [field], cause: error });
    throw error;
  }
}
