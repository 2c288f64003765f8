/** Descriptors and documents of OCI images as they come from others: read with care, refused with the place of what is wrong. Pure. */
import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import type { Platform } from '../types.ts';

/** Names content: what it is, its digest and its size (OCI Image Specification, "Content Descriptors"). */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** What an index or a manifest may have at most; registries take no larger ones either. */
export const LARGEST_DOCUMENT = 4 * 2 ** 20;

const DIGEST = /^sha256:[\da-f]{64}$/;

/** @throws ImageError `wrong-content` */
export function readDocument(bytes: Buffer, what: string): Record<string, unknown> {
  const document = parseObject(bytes.toString());
  if (document === undefined) throw malformed(what, 'it is no JSON object');
  return document;
}

/** @throws ImageError `wrong-content` */
export function readDescriptor(value: unknown, what: string, field: string): Descriptor {
  if (!isObject(value)) throw malformed(what, `${field} is no object`);
  const { mediaType, digest, size, platform, annotations } = value;
  if (typeof digest !== 'string' || !DIGEST.test(digest)) {
    throw malformed(what, `${field}.digest is ${JSON.stringify(digest)}, no digest by sha256`);
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw malformed(what, `${field}.size is ${JSON.stringify(size)}, no number of bytes`);
  }
  return {
    mediaType: textOf(mediaType),
    digest,
    size,
    platform: readPlatform(platform),
    annotations: readTexts(annotations),
  };
}

/** A list of descriptors. @throws ImageError `wrong-content` */
export function readDescriptors(value: unknown, what: string, field: string): Descriptor[] {
  if (!Array.isArray(value)) throw malformed(what, `${field} is no list`);
  return value.map((one, index) => readDescriptor(one, what, `${field}[${index}]`));
}

/** Undefined where none is said. */
export function readPlatform(value: unknown): Platform | undefined {
  if (!isObject(value) || typeof value['os'] !== 'string' || typeof value['architecture'] !== 'string')
    return undefined;
  const { os, architecture, variant } = value;
  return { os, architecture, ...(typeof variant === 'string' && variant !== '' ? { variant } : {}) };
}

/** Members that are text. */
export function readTexts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}

export function malformed(what: string, why: string): ImageError {
  return new ImageError('wrong-content', `${what} cannot be used: ${why}`);
}
