import { readFile } from 'node:fs/promises';
import type { Certificate } from '../../process/http/server.ts';
import { UsageError } from '../../process/usage-error.ts';
import { messageOf } from '../../text/error-message.ts';

/** Where certificate and key lie. */
interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate in files that are replaced while it is used, as cert-manager and the kubelet do. */
export class CertificateFiles {
  readonly #files: TlsFiles;
  #current: Certificate;

  private constructor(files: TlsFiles, current: Certificate) {
    this.#files = files;
    this.#current = current;
  }

  /** @throws UsageError naming the flag whose file cannot be used */
  static async read(files: TlsFiles): Promise<CertificateFiles> {
    const certificate = await readPair(files);
    try {
      checkPair(certificate);
    } catch (cause) {
      const what = `flags -tls-cert-file, -tls-private-key-file: ${files.certFile} and ${files.keyFile}`;
      throw new UsageError(`${what} are no certificate with its key: ${messageOf(cause)}`, { cause });
    }
    return new CertificateFiles(files, certificate);
  }

  get current(): Certificate {
    return this.#current;
  }

  /**
   * The certificate that has taken the place of the one in use; undefined while there is none, or only one of its files is there.
   * Asked at each scrape: two small files are read sooner than a watch on links that are exchanged is made right.
   */
  async renewed(): Promise<Certificate | undefined> {
    try {
      const next = await readPair(this.#files);
      if (next.cert === this.#current.cert && next.key === this.#current.key) return undefined;
      checkPair(next);
      this.#current = next;
      return next;
    } catch {
      return undefined;
    }
  }
}

async function readPair({ certFile, keyFile }: TlsFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readPem('-tls-cert-file', certFile),
    readPem('-tls-private-key-file', keyFile),
  ]);
  return { cert, key };
}

/** Throws when they do not belong together. */
function checkPair(certificate: Certificate): void {
  process.getBuiltinModule('node:tls').createSecureContext(certificate);
}

async function readPem(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`flag ${flag}: cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}
