import { RemoteError } from '../remote/index.ts';
import { Refusal } from './refusal.ts';

/** The result of a check. @throws Refusal for what it finds wrong with an address or credentials */
export function refusing<T>(field: string, check: () => T, beginning = ''): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw new Refusal('invalid', `${beginning}${error.message}`, { fields: [field], cause: error });
  }
}
