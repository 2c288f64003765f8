import { AwsV4Signer } from 'aws4fetch';
import { type Answer, type Exchange, exchange } from '../../http/exchange.ts';

/** How a bucket is reached. */
export interface S3Access {
  /** Host, with a port where it has one. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** HTTP in place of HTTPS. */
  readonly insecure: boolean;
  readonly keys?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
  /** PEM. */
  readonly ca?: string;
}

interface S3Request extends Pick<Exchange, 'body' | 'headers' | 'signal'> {
  /** Absent: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** The URL of a key in a bucket. Amazon and Alibaba want buckets in the host, others have them in the path. Pure. */
export function urlOf({ endpoint, bucket, insecure }: S3Access, key: string | undefined): URL {
  const host = endpoint.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  const isHosted = /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|aliyuncs\.com)$/.test(host);
  const path = (key ?? '').split('/').map(encodeURIComponent).join('/');
  const base = isHosted ? `${bucket}.${host}/` : `${host}/${bucket}${key === undefined ? '' : '/'}`;
  return new URL(`${insecure ? 'http' : 'https'}://${base}${path}`);
}

/** Requests to one bucket, signed. Bodies are not part of the signature, so that a file is read once. */
export class S3Requests {
  readonly #access: S3Access;

  constructor(access: S3Access) {
    this.#access = access;
  }

  async send(method: string, { key, query = {}, headers = {}, body, signal }: S3Request): Promise<Answer> {
    const { keys, region, ca } = this.#access;
    const url = urlOf(this.#access, key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = { ...(headers as Record<string, string>) };
    if (keys !== undefined) {
      const signer = new AwsV4Signer({
        method,
        url: url.href,
        headers: signed,
        service: 's3',
        region,
        ...keys,
      });
      const result = await signer.sign();
      for (const [name, value] of result.headers) signed[name] = value;
      url.href = String(result.url);
    }
    // A redirected request has another host and needs another signature: the redirect counts as an error.
    return exchange({
      method,
      url: url.href,
      headers: signed,
      signal,
      redirects: 0,
      ...(body !== undefined && { body }),
      ...(ca !== undefined && { tls: { ca } }),
    });
  }
}
