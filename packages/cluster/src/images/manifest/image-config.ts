/** The configuration of an image (OCI Image Configuration). Pure. */
import { createHash } from 'node:crypto';
import { isObject } from '@turnsole/kube/text/json';
import type { ImageConfig, Platform } from '../types.ts';
import { malformed, readDocument, readPlatform, readTexts } from './descriptor.ts';

export interface ImageDocument {
  readonly platform: Platform;
  readonly created: string | undefined;
  readonly config: ImageConfig;
  /** Digests of the layers' tars, the lowest first. */
  readonly diffIds: readonly string[];
}

const DIGEST = /^sha256:[\da-f]{64}$/;

/** @throws ImageError `wrong-content` with the member that is wrong */
export function parseImageConfig(bytes: Buffer, what: string): ImageDocument {
  const document = readDocument(bytes, what);
  const { created, config, rootfs } = document;
  const platform = readPlatform(document);
  if (platform === undefined) throw malformed(what, 'it names no os and architecture');
  const diffIds = isObject(rootfs) ? rootfs['diff_ids'] : undefined;
  if (!Array.isArray(diffIds) || !diffIds.every((one) => typeof one === 'string' && DIGEST.test(one))) {
    throw malformed(what, 'rootfs.diff_ids is no list of digests by sha256');
  }
  return {
    platform,
    created: typeof created === 'string' ? created : undefined,
    config: containerConfig(config, what),
    diffIds: diffIds as string[],
  };
}

function containerConfig(value: unknown, what: string): ImageConfig {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw malformed(what, 'config is no object');
  const text = (name: string): string | undefined => {
    const found = value[name];
    if (found === undefined || found === null || found === '') return undefined;
    if (typeof found !== 'string') throw malformed(what, `config.${name} is no text`);
    return found;
  };
  const words = (name: string): readonly string[] | undefined => {
    const found = value[name];
    if (found === undefined || found === null) return undefined;
    if (!Array.isArray(found) || !found.every((one) => typeof one === 'string')) {
      throw malformed(what, `config.${name} is no list of texts`);
    }
    return found as string[];
  };
  const keys = (name: string): readonly string[] | undefined =>
    isObject(value[name]) ? Object.keys(value[name]) : undefined;
  return {
    user: text('User'),
    entrypoint: words('Entrypoint'),
    cmd: words('Cmd'),
    env: words('Env'),
    workingDir: text('WorkingDir'),
    volumes: keys('Volumes'),
    exposedPorts: keys('ExposedPorts'),
    stopSignal: text('StopSignal'),
    labels: readTexts(value['Labels']),
  };
}

/**
 * Names of layers with all that is below them, the lowest first (OCI Image Configuration, "Layer ChainID"): the same layer on top of others
 * may look different, as what it removes is written down by what it removes it from.
 */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const below = chain.at(-1);
    const both =
      below === undefined
        ? diffId
        : `sha256:${createHash('sha256').update(`${below} ${diffId}`).digest('hex')}`;
    chain.push(both);
  }
  return chain;
}
