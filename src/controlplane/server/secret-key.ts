import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { UsageError } from '../../process/usage-error.ts';

/** Base64 of the key, for containers; the same for all replicas. */
const VARIABLE = 'TURNSOLE_SECRET_KEY';
const KEY_FILE = 'secret.key';
const KEY_BYTES = 32;

/**
 * The key that seals secrets in the database: from the environment, else from the data folder, where the first start generates one.
 *
 * @throws UsageError if it cannot be read or is too short
 */
export function loadSecretKey(
  env: Readonly<Record<string, string | undefined>>,
  dataFolder: string,
): Uint8Array {
  const text = env[VARIABLE];
  if (text !== undefined && text !== '') return decoded(text, `variable ${VARIABLE}`);
  const file = join(dataFolder, KEY_FILE);
  try {
    return decoded(readOrMake(dataFolder, file), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read or make the key for secrets in ${file}: ${messageOf(error)}`);
  }
}

function readOrMake(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readFileSync(file, 'utf8');
    throw error;
  }
  try {
    const text = randomBytes(KEY_BYTES).toString('base64');
    writeSync(handle, `${text}\n`);
    // Synced like the secrets that it seals, which would be lost with it.
    fsyncSync(handle);
    return text;
  } finally {
    closeSync(handle);
  }
}

function decoded(text: string, where: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length >= KEY_BYTES) return key;
  throw new UsageError(
    `${where} has ${key.length} bytes of key for secrets; it takes ${KEY_BYTES}, in base64: head -c 32 /dev/urandom | base64`,
  );
}
