import type { TraceRecord } from '../../../tracing/trace-record.ts';
import type { TraceSettings } from '../settings.ts';
import { type DeliverOptions, deliver } from './deliver.ts';
import { encodeTrace } from './encode.ts';
import { readTlsFiles } from './tls-files.ts';

/** Sends one trace to the collector. @throws Error that says why it was not taken */
export async function sendTrace(
  record: TraceRecord,
  settings: TraceSettings,
  options: Omit<DeliverOptions, 'timeoutMs'>,
): Promise<void> {
  const request = encodeTrace(record, settings);
  const tls = await readTlsFiles(settings.tls);
  const transmit =
    settings.protocol === 'grpc'
      ? (await import('./grpc.ts')).grpcTransmit(settings, tls)
      : (await import('./http.ts')).httpTransmit(settings, tls);
  await deliver(request, transmit, { ...options, timeoutMs: settings.timeoutMs });
}
