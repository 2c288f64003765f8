/** Names of images, completed as Docker does. Pure. */
import { ImageError } from '../errors.ts';

/** A whole name. */
export interface ImageName {
  /** Host, with a port if it has one: `docker.io`, `localhost:5000`. */
  readonly registry: string;
  /** `library/redis`. */
  readonly repository: string;
  /** Undefined where a digest says which image it is. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export const DOCKER_HUB = 'docker.io';
/** What the Hub is called in configurations that are older than its name. */
const HUB_ALIASES = ['index.docker.io', 'registry-1.docker.io'];
const HOST =
  /^(?:\[[\da-fA-F:]+\]|[a-zA-Z\d](?:[a-zA-Z\d-]*[a-zA-Z\d])?(?:\.[a-zA-Z\d](?:[a-zA-Z\d-]*[a-zA-Z\d])?)*)(?::\d+)?$/;
/** Parts of repositories, and tags (OCI Distribution Specification, "Pulling manifests"). */
const PART = /^[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[\da-f]{64}$/;
const LONGEST = 255;

/**
 * Takes a name apart and completes it: `redis` is `docker.io/library/redis:latest`. A tag beside a digest says nothing more and is left out.
 *
 * @throws ImageError `invalid-reference` with what is wrong
 */
export function parseImageName(text: string): ImageName {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !DIGEST.test(digest)) {
    throw invalid(text, `${JSON.stringify(digest)} is no digest; expected sha256: and 64 hexadecimal digits`);
  }
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) throw invalid(text, `${JSON.stringify(tag)} is no tag`);
  const { registry, repository } = placeOf(hasTag ? named.slice(0, colon) : named);
  const parts = repository.split('/');
  if (!HOST.test(registry)) throw invalid(text, `${JSON.stringify(registry)} is no host of a registry`);
  if (!parts.every((part) => PART.test(part))) {
    const isCase = /[A-Z]/.test(repository);
    throw invalid(text, isCase ? 'names are in lower case' : 'expected [host/]name[:tag][@digest]');
  }
  if (registry.length + repository.length >= LONGEST)
    throw invalid(text, `it is longer than ${LONGEST} characters`);
  return { registry, repository, tag: digest === undefined ? (tag ?? 'latest') : undefined, digest };
}

/** The whole name as text: two names are of the same image if it is the same. */
export function imageNameText({ registry, repository, tag, digest }: ImageName): string {
  return `${registry}/${repository}${digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`}`;
}

function placeOf(path: string): { registry: string; repository: string } {
  const slash = path.indexOf('/');
  const first = path.slice(0, slash);
  // As Docker decides: the first part is a host if it could be no user of the Hub.
  const isHost = slash > 0 && (/[.:[]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const registry = isHost ? first : DOCKER_HUB;
  const repository = isHost ? path.slice(slash + 1) : path;
  if (registry !== DOCKER_HUB && !HUB_ALIASES.includes(registry)) return { registry, repository };
  return {
    registry: DOCKER_HUB,
    repository: repository.includes('/') ? repository : `library/${repository}`,
  };
}

function invalid(text: string, why: string): ImageError {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return new ImageError('invalid-reference', `${JSON.stringify(shown)} is no name of an image: ${why}`);
}
