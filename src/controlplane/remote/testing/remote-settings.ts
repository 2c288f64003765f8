import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { allowedAddresses } from '../addresses.ts';
import type { RemoteSettings } from '../open-repository.ts';
import { systemLookUp } from '../reach.ts';

/** Settings with a folder of their own, by which servers on the loopback may be asked. */
export async function remoteSettings(
  overrides: Partial<RemoteSettings> = {},
  allowed = '127.0.0.1',
): Promise<RemoteSettings & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-remote-'));
  return {
    reach: { allowed: allowedAddresses(allowed), lookUp: systemLookUp },
    folder,
    mostBytes: 5_000_000,
    timeoutMs: PATIENCE_MS,
    machine: process.env,
    ...overrides,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
