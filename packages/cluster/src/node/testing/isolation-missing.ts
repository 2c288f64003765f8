import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeIsolation } from '../runtime/isolated/probe.ts';

/** Why pods cannot be isolated on this machine; undefined when they can. Leaves nothing behind. */
export async function isolationMissing(): Promise<string | undefined> {
  const place = mkdtempSync(join(tmpdir(), 'turnsole-isolation-'));
  const probe = await probeIsolation(place, 'probe');
  if (probe.available) rmSync(probe.layers, { recursive: true, force: true });
  rmSync(place, { recursive: true, force: true });
  return probe.available ? undefined : probe.missing;
}
