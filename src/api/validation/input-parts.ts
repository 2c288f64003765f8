import { type FieldError, invalid, required } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import type { TlsConfig } from '../schema/tls.ts';

/** Where a field stands. */
export type Path = readonly PathSegment[];

/** Inputs as an older definition may let them through: fields that the schema demands can be missing. */
export type Loose<T> = T extends object ? { readonly [K in keyof T]?: Loose<T[K]> | null } : T;

/** A value that ought to be a text; nothing is the empty text. */
export function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Whether a value that ought to be a text is one of blanks only. */
export function isBlank(value: unknown): boolean {
  return textOf(value).trim() === '';
}

/** Problems of a URL that is to be asked. */
export function validateUrl(url: unknown, path: Path): FieldError[] {
  if (isBlank(url)) return [required(path, 'a URL such as http://web.default.svc:80/health')];
  const parsed = URL.parse(textOf(url));
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    return [invalid(path, url, 'must be a URL that begins with http:// or https://')];
  }
  return [];
}

/** A certificate and its key belong together. */
export function validateTls(tls: Loose<TlsConfig> | null | undefined): FieldError[] {
  const [hasCertificate, hasKey] = [!isBlank(tls?.certFile), !isBlank(tls?.keyFile)];
  if (hasCertificate === hasKey) return [];
  const missing = hasKey ? 'certFile' : 'keyFile';
  return [required(['tlsConfig', missing], 'certFile and keyFile belong together')];
}
