import { readFile } from 'node:fs/promises';
import type { TraceSettings } from '../settings.ts';

/** Certificates and key for a connection, as Node takes them. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Reads the files that the settings name, anew for each trace: they are replaced when they expire. @throws Error of the file system */
export async function readTlsFiles({ ca, cert, key }: TraceSettings['tls']): Promise<TlsFiles> {
  return {
    ...(ca === undefined ? {} : { ca: await readFile(ca) }),
    ...(cert === undefined ? {} : { cert: await readFile(cert) }),
    ...(key === undefined ? {} : { key: await readFile(key) }),
  };
}
