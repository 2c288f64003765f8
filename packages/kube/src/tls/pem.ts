/** PEM (RFC 7468). */

interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/g;

/** The blocks of a text; what stands between them is no matter. A block with headers is none. */
export function readPem(text: string): PemBlock[] {
  return [...text.matchAll(BLOCK)].map(([, label = '', body = '']) => ({
    label,
    der: Buffer.from(body, 'base64'),
  }));
}

/** PEM of DER bytes. */
export function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
