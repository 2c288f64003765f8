import { Refusal } from '../access/refusal.ts';
import { ManifestError } from './manifest/manifest-error.ts';

/** The result of `read`. @throws Refusal for a manifest that cannot be an experiment */
export function refusingManifests<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new Refusal('invalid', error.message, { cause: error });
  }
}
