import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { Certificate } from '@turnsole/kube/serve/server';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { CertificateFiles } from '../../process/http/certificate-files.ts';
import { onSignals } from '../../process/signals.ts';

/** How long the folder has to be quiet: certificate and key are two writes. */
const SETTLE_MS = 200;

/** Options for following a certificate. */
interface Following {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each new certificate. */
  readonly renew: (certificate: Certificate) => void;
}

/**
 * Loads a new certificate when its files change, or on SIGHUP. Watches the folders instead of the files, which are replaced: the kubelet
 * exchanges a link beside them. Logs an unusable certificate once, and keeps the previous one in use.
 *
 * @returns stops it
 */
export function followCertificate(files: CertificateFiles, { clock, logger, renew }: Following): () => void {
  const { certFile, keyFile } = files.files;
  let reported = '';
  const look = async (): Promise<void> => {
    try {
      const renewed = await files.renewed(clock.now());
      reported = '';
      if (renewed === undefined) return;
      renew(renewed);
      logger.info({ certFile }, 'serves a new certificate');
    } catch (error) {
      const reason = messageOf(error);
      if (reason === reported) return;
      reported = reason;
      logger.error({ detail: reason }, 'a new certificate is not taken; the one before stays in use');
    }
  };
  // One check at a time: an earlier check with older files must not overtake a later one.
  let looking = Promise.resolve();
  const lookNext = (): void => {
    looking = looking.then(look);
  };
  let cancel = (): void => {};
  const settle = (): void => {
    cancel();
    cancel = clock.setTimer(SETTLE_MS, lookNext, { unref: true });
  };
  const folders = new Set([dirname(certFile), dirname(keyFile)]);
  const watchers = [...folders].map((folder) => watchFolder(folder, settle, logger));
  const release = onSignals(['SIGHUP'], lookNext);
  return () => {
    cancel();
    release();
    for (const watcher of watchers) watcher?.close();
  };
}

function watchFolder(folder: string, onChange: () => void, logger: Logger): FSWatcher | undefined {
  const failed = (err: unknown): void =>
    logger.warn({ err, folder }, 'cannot watch the files of the certificate; SIGHUP has them read again');
  try {
    return watch(folder, { persistent: false }, onChange).on('error', failed);
  } catch (error) {
    failed(error);
    return undefined;
  }
}
