/** Which image of an index a machine can run. Pure. */
import type { Platform } from '../types.ts';

/** Names of Node for processors, and those of Go, which indexes have. Others are the same in both. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'amd64',
  ia32: '386',
  ppc64: 'ppc64le',
  mipsel: 'mipsle',
};

/** This machine's platform. Containers are Linux's, whatever runs here. */
export function thisPlatform(architecture: string = process.arch): Platform {
  return { os: 'linux', architecture: ARCHITECTURES[architecture] ?? architecture };
}

/** `linux/arm/v7`. */
export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/**
 * How well an image for `offered` runs on `wanted`: 0 not at all, more is better. A variant that is not asked for may be any of those that all
 * machines of the architecture have; of ARM's, older ones run on newer machines.
 */
export function platformFit(wanted: Platform, offered: Platform): number {
  if (wanted.os !== offered.os || wanted.architecture !== offered.architecture) return 0;
  const want = generation(wanted.variant ?? BASE[wanted.architecture]);
  const have = generation(offered.variant ?? BASE[offered.architecture]);
  if (want === have) return 100;
  if (want === undefined || have === undefined) return 1;
  return have < want ? Math.max(1, 100 - (want - have)) : 0;
}

/** The variant that is meant where none is said. */
const BASE: Readonly<Record<string, string>> = { arm: 'v7', arm64: 'v8', amd64: 'v1' };

function generation(variant: string | undefined): number | undefined {
  const match = /^v(\d+)/.exec(variant ?? '');
  return match === null ? undefined : Number(match[1]);
}
