/** The image that holds every component, as an operator on a real cluster gets it. */
export interface OwnImage {
  readonly name: string;
  /** @default `IfNotPresent` */
  readonly pullPolicy?: string;
}

/** Environment variables that name it to operator and runners. */
export const OWN_IMAGE_VARIABLE = 'TURNSOLE_IMAGE';
export const OWN_IMAGE_PULL_POLICY_VARIABLE = 'TURNSOLE_IMAGE_PULL_POLICY';

/** Reads both variables; undefined without an image. Pure. */
export function ownImageOf(env: Readonly<Record<string, string | undefined>>): OwnImage | undefined {
  const name = env[OWN_IMAGE_VARIABLE]?.trim() ?? '';
  const pullPolicy = env[OWN_IMAGE_PULL_POLICY_VARIABLE]?.trim() ?? '';
  if (name === '') return undefined;
  return pullPolicy === '' ? { name } : { name, pullPolicy };
}

/** Upstream's images for which ours stands in, from whatever registry, mirror or tag. */
const UPSTREAM = /(?:^|\/)litmuschaos\/(?:go-runner|chaos-runner|chaos-exporter)(?:[:@]|$)/;

/**
 * Whether an image is one of upstream's runner, exporter and experiment images. Charts name these, and our image has their commands,
 * so with {@link OwnImage} known they are replaced; the image of a user's own experiment never is. Pure.
 */
export function isUpstreamImage(image: string): boolean {
  return UPSTREAM.test(image);
}

/**
 * The image to run in place of `image`: ours with its pull policy when it is one of upstream's, else the given one. Pure.
 * A chart's `Always` is meant for upstream's `latest`, so it does not count for ours.
 */
export function replaceUpstreamImage(
  asked: { readonly image: string; readonly pullPolicy: string },
  own: OwnImage | undefined,
): { readonly image: string; readonly pullPolicy: string } {
  if (own === undefined || !isUpstreamImage(asked.image)) return asked;
  return { image: own.name, pullPolicy: own.pullPolicy ?? 'IfNotPresent' };
}

/** Runner image of engines that name none, when the operator has no setting for it: the one of upstream's operator. */
export const DEFAULT_RUNNER_IMAGE = 'litmuschaos/chaos-runner:latest';
