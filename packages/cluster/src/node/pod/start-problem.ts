import type { Container } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { type ImageCatalogue, type ResolvedImage, unknownImageMessage } from '../images/catalogue.ts';
import { FIRST_DELAY_MS, MAX_DELAY_MS } from './crash-backoff.ts';
import { LaunchError } from './launch.ts';
import type { StartProblem } from './observed.ts';
import type { PodEvent } from './worker-context.ts';

/** An object that a container refers to may be created at any time; without an event, it is looked for this often. */
const CONFIG_RETRY_MS = 10_000;

/** No image of that name in the catalogue. */
class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Finds the container's image and reports it with an Event.
 *
 * @throws Error that {@link startProblem} understands when it is not in the catalogue
 */
export function resolveImage(
  { image = '', imagePullPolicy }: Container,
  catalogue: ImageCatalogue,
  recordEvent: (event: PodEvent) => void,
): ResolvedImage {
  const quoted = JSON.stringify(image);
  const found = catalogue.find(image);
  if (found !== undefined) {
    const message = `Container image ${quoted} already present on machine`;
    recordEvent({ type: 'Normal', reason: 'Pulled', message });
    return found;
  }
  if (parseImage(image) === undefined) {
    const why = `Failed to apply default image tag ${quoted}: couldn't parse image reference ${quoted}: ${invalidImageReason(image)}`;
    recordEvent({ type: 'Warning', reason: 'InspectFailed', message: why });
    recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName' });
    throw new ImageError('InvalidImageName', why);
  }
  const why = unknownImageMessage(image);
  if (imagePullPolicy === 'Never') {
    const message = `Container image ${quoted} is not present with pull policy of Never: ${why}`;
    recordEvent({ type: 'Warning', reason: 'ErrImageNeverPull', message });
    recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImageNeverPull' });
    throw new ImageError('ErrImageNeverPull', message);
  }
  recordEvent({ type: 'Normal', reason: 'Pulling', message: `Pulling image ${quoted}` });
  recordEvent({ type: 'Warning', reason: 'Failed', message: `Failed to pull image ${quoted}: ${why}` });
  recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' });
  throw new ImageError('ErrImagePull', why);
}

/** Why an image name is invalid, in the words of container runtimes. */
function invalidImageReason(image: string): string {
  const isMixedCase = image !== image.toLowerCase();
  return `invalid reference format${isMixedCase ? ': repository name must be lowercase' : ''}`;
}

/**
 * Makes the problem for the status out of what kept a container from starting. Images are tried again after 10 s, then
 * after twice the time before, up to 5 minutes (kubelet's image back-off).
 */
export function startProblem(
  error: unknown,
  before: StartProblem | undefined,
  atMs: number,
  recordEvent: (event: PodEvent) => void,
): StartProblem {
  const message = messageOf(error);
  if (error instanceof ImageError) {
    const earlierMs = before?.kind === 'image' ? before.retryAtMs - before.atMs : 0;
    const delayMs = Math.min(Math.max(earlierMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
    return { kind: 'image', reason: error.reason, message, atMs, retryAtMs: atMs + delayMs };
  }
  const reason = error instanceof LaunchError ? error.reason : 'CreateContainerError';
  recordEvent({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
  return { kind: 'config', reason, message, atMs, retryAtMs: atMs + CONFIG_RETRY_MS };
}
