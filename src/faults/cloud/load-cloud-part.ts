import { SettingsError } from '../../experiment/injection/errors.ts';

/**
 * Loads a part of the package with the vendors' clients, which not every installation has.
 *
 * @throws SettingsError saying how to get it
 */
export async function loadCloudPart<T>(vendor: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | undefined)?.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new SettingsError(
      `faults of ${vendor} need the package @turnsole/cloud, which is not installed here: npm install @turnsole/cloud; the image of Turnsole has it`,
      { cause },
    );
  }
}
