import { messageOf } from '@turnsole/kube/text/error-message';
import type { TlsConfig } from '../../api/schema/probe.ts';
import type { HttpRequest } from './http-request.ts';
import { readPodFile } from './pod-file.ts';
import type { MeasureContext } from './probe-kind.ts';

/**
 * Gives how a request treats certificates. The files of `tlsConfig` lie in the experiment pod and are read each time: they
 * may be renewed while the run goes on.
 *
 * @throws Error that names the field of a file that cannot be read
 */
export async function tlsOptions(
  { insecureSkipVerify, tlsConfig }: { insecureSkipVerify?: boolean; tlsConfig?: TlsConfig },
  { env, signal }: Pick<MeasureContext, 'env' | 'signal'>,
): Promise<Pick<HttpRequest, 'verifyTls' | 'tls'>> {
  const read = async (field: 'caFile' | 'certFile' | 'keyFile'): Promise<string | undefined> => {
    const path = (tlsConfig?.[field] ?? '').trim();
    if (path === '') return undefined;
    try {
      return await readPodFile(path, env, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const why = messageOf(cause);
      throw new Error(`cannot read tlsConfig.${field} in the experiment pod: ${why}`, { cause });
    }
  };
  // One after the other: of several files that cannot be read, always the first is named.
  const ca = await read('caFile');
  const cert = await read('certFile');
  const key = await read('keyFile');
  return {
    verifyTls: insecureSkipVerify !== true && tlsConfig?.insecureSkipVerify !== true,
    tls: { ca, cert, key },
  };
}
