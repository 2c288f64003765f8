import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Certificate } from '@turnsole/kube/serve/server';
import { messageOf } from '@turnsole/kube/text/error-message';
import { UsageError } from '../usage-error.ts';

/** Where certificate and key lie. */
interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The options that name them, for messages. */
  readonly options: readonly [cert: string, key: string];
}

/** A certificate in files that are replaced while it is used, as cert-manager and the kubelet do. */
export class CertificateFiles {
  readonly files: TlsFiles;
  #current: Certificate;

  private constructor(files: TlsFiles, current: Certificate) {
    this.files = files;
    this.#current = current;
  }

  /** @throws UsageError naming the option whose file cannot be used */
  static async read(files: TlsFiles): Promise<CertificateFiles> {
    const certificate = await readPair(files);
    checkPair(files, certificate);
    return new CertificateFiles(files, certificate);
  }

  get current(): Certificate {
    return this.#current;
  }

  /**
   * The new certificate if the files have changed, from now on the one in use; undefined while they are as they were.
   *
   * @param now milliseconds since the epoch
   * @throws UsageError when the present files cannot be used: only one of both has been written, say, or the certificate has expired
   */
  async renewed(now: number): Promise<Certificate | undefined> {
    const next = await readPair(this.files);
    if (next.cert === this.#current.cert && next.key === this.#current.key) return undefined;
    checkPair(this.files, next);
    const { validTo } = new X509Certificate(next.cert);
    if (Date.parse(validTo) <= now) {
      throw new UsageError(`${this.files.options[0]}: ${this.files.certFile} has expired (${validTo})`);
    }
    this.#current = next;
    return next;
  }
}

async function readPair({ certFile, keyFile, options }: TlsFiles): Promise<Certificate> {
  // One after the other: of two files that cannot be read, always the first is named.
  const cert = await readPem(options[0], certFile);
  return { cert, key: await readPem(options[1], keyFile) };
}

/** @throws UsageError when they do not belong together */
function checkPair({ certFile, keyFile, options }: TlsFiles, certificate: Certificate): void {
  try {
    process.getBuiltinModule('node:tls').createSecureContext(certificate);
  } catch (cause) {
    const what = `${options.join(', ')}: ${certFile} and ${keyFile}`;
    throw new UsageError(`${what} are no certificate with its key: ${messageOf(cause)}`, { cause });
  }
}

async function readPem(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${option}: cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}
