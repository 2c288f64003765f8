import type { Container } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { ImageError } from '../../images/errors.ts';
import type { ImageLease, ImageProgress, ImageStore, StoredImage } from '../../images/types.ts';
import type { StandIn } from '../images/catalogue.ts';
import { noImageMessage } from '../images/catalogue.ts';
import type { ImageSources } from '../images/image-sources.ts';
import { progressText } from '../images/progress-text.ts';
import type { PullSecrets } from '../images/pull-secrets.ts';
import type { PodEvent } from './worker-context.ts';

/** What a container is started from. */
export type ResolvedImage =
  | ({ readonly kind: 'stand-in' } & StandIn)
  /** The lease is the receiver's to release. */
  | { readonly kind: 'stored'; readonly lease: ImageLease; readonly imageID: string };

/** Why a container has no image, with the reason of its status. */
export class PullError extends Error {
  override readonly name = 'PullError';
  /** ErrImagePull, ErrImageNeverPull, InvalidImageName. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What a container's image is looked for with. */
interface Search {
  readonly sources: ImageSources;
  /** Read when something is pulled. */
  readonly secrets: () => Promise<PullSecrets>;
  readonly recordEvent: (event: PodEvent) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Aborts a pull that nobody waits for any more. */
  readonly signal: AbortSignal;
}

/**
 * Finds the image of a container, pulls it where its policy asks for that, and reports it with Events in kubelet's words.
 *
 * What the user has named a command for is that command; so are the programs of the cluster itself. The general stand-ins (a shell, Node) are
 * for those who have no image of that name.
 *
 * @throws PullError
 */
export async function resolveImage(
  { image = '', imagePullPolicy = 'IfNotPresent' }: Container,
  { sources, secrets, recordEvent, now, signal }: Search,
): Promise<ResolvedImage> {
  const { catalogue, stored } = sources;
  const standIn = catalogue.find(image);
  const report = new PullReport(image, recordEvent, now);
  const useStandIn = (found: StandIn): ResolvedImage => {
    report.present('a command of this machine stands for it');
    return { kind: 'stand-in', ...found };
  };
  if (standIn !== undefined && (!standIn.isGeneral || 'missing' in stored || !stored.mayHaveAny())) {
    return useStandIn(standIn);
  }
  if (parseImage(image) === undefined) throw invalidName(image, recordEvent);
  if ('missing' in stored) throw notHere(image, imagePullPolicy, stored.missing, recordEvent);
  try {
    const store = await stored.open();
    const present = await store.find(image);
    if (standIn !== undefined && present === undefined) return useStandIn(standIn);
    const found = await choose(store, image, present, imagePullPolicy, { secrets, report, signal });
    const lease = await store.lease(found, { signal, onProgress: (progress) => report.progress(progress) });
    for (const note of lease.notes) report.note(note);
    return { kind: 'stored', lease, imageID: imageID(found) };
  } catch (error) {
    throw report.failed(error);
  }
}

/** Pulls what has to be pulled. */
async function choose(
  store: ImageStore,
  image: string,
  present: StoredImage | undefined,
  policy: string,
  { secrets, report, signal }: Pick<Search, 'secrets' | 'signal'> & { readonly report: PullReport },
): Promise<StoredImage> {
  if (present !== undefined && policy !== 'Always') {
    report.present();
    return present;
  }
  if (policy === 'Never') throw report.never();
  report.begins();
  const { sources, problems } = await secrets();
  for (const problem of problems) report.secretProblem(problem);
  try {
    const onProgress = (progress: ImageProgress): void => report.progress(progress);
    const pulled = await store.pull(image, { credentials: sources, onProgress, signal });
    report.pulled(pulled);
    return pulled;
  } catch (error) {
    if (present === undefined || !(error instanceof ImageError) || error.code === 'aborted') throw error;
    const hint = 'an image of this name is in the store: imagePullPolicy IfNotPresent takes it';
    throw new ImageError(error.code, `${error.message}; ${hint}`, { cause: error });
  }
}

/** `docker.io/library/redis@sha256:…`: its name without the tag, and the digest of its manifest; pure. */
function imageID({ reference, digest }: Pick<StoredImage, 'reference' | 'digest'>): string {
  const { registry, tag } = parseImage(reference) ?? {};
  const name = reference.split('@')[0] ?? reference;
  const isTagged = tag !== undefined && registry !== undefined && name.endsWith(`:${tag}`);
  return `${isTagged ? name.slice(0, -tag.length - 1) : name}@${digest}`;
}

/** At most one Event about a pull's progress in this time. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Tells a user about one search for an image. */
class PullReport {
  readonly #image: string;
  readonly #recordEvent: (event: PodEvent) => void;
  readonly #now: () => number;
  readonly #startedMs: number;
  #saidMs: number;

  constructor(image: string, recordEvent: (event: PodEvent) => void, now: () => number) {
    this.#image = JSON.stringify(image);
    this.#recordEvent = recordEvent;
    this.#now = now;
    this.#startedMs = now();
    this.#saidMs = this.#startedMs;
  }

  present(what?: string): void {
    const message = `Container image ${this.#image} already present on machine and can be accessed by the pod`;
    this.#normal('Pulled', what === undefined ? message : `${message}: ${what}`);
  }

  begins(): void {
    this.#normal('Pulling', `Pulling image ${this.#image}`);
  }

  progress(progress: ImageProgress): void {
    if (this.#now() - this.#saidMs < PROGRESS_INTERVAL_MS) return;
    this.#saidMs = this.#now();
    this.#normal('Pulling', `Pulling image ${this.#image}: ${progressText(progress)}`);
  }

  pulled({ size }: StoredImage): void {
    const took = durationText(this.#now() - this.#startedMs);
    const message = `Successfully pulled image ${this.#image} in ${took} (${took} including waiting). Image size: ${size} bytes.`;
    this.#normal('Pulled', message);
  }

  note(sentence: string): void {
    this.#warning('ImageIncomplete', `Image ${this.#image}: ${sentence}`);
  }

  secretProblem(sentence: string): void {
    this.#warning('FailedToRetrieveImagePullSecret', sentence);
  }

  never(): PullError {
    const message = `Container image ${this.#image} is not present with pull policy of Never`;
    this.#warning('ErrImageNeverPull', message);
    this.#warning('Failed', 'Error: ErrImageNeverPull');
    return new PullError('ErrImageNeverPull', message);
  }

  /** The failure of a search; what has been reported already stays as it is. */
  failed(error: unknown): PullError {
    if (error instanceof PullError) return error;
    const why = messageOf(error);
    const isAborted = error instanceof ImageError && error.code === 'aborted';
    const isName = error instanceof ImageError && error.code === 'invalid-reference';
    const reason = isName ? 'InvalidImageName' : 'ErrImagePull';
    if (!isAborted) {
      this.#warning('Failed', `Failed to pull image ${this.#image}: ${why}`);
      this.#warning('Failed', `Error: ${reason}`);
    }
    return new PullError(reason, why, { cause: error });
  }

  #normal(reason: string, message: string): void {
    this.#recordEvent({ type: 'Normal', reason, message });
  }

  #warning(reason: string, message: string): void {
    this.#recordEvent({ type: 'Warning', reason, message });
  }
}

/** As Go prints durations: `1.234s`, `56ms`; pure. */
function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(3)}s`;
}

function invalidName(image: string, recordEvent: (event: PodEvent) => void): PullError {
  const quoted = JSON.stringify(image);
  const isMixedCase = image !== image.toLowerCase();
  const detail = isMixedCase ? `: repository name (${repositoryOf(image)}) must be lowercase` : '';
  const reason = `invalid reference format${detail}`;
  const why = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${reason}`;
  recordEvent({ type: 'Warning', reason: 'InspectFailed', message: why });
  recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName' });
  return new PullError('InvalidImageName', why);
}

/** The repository of an image name, as references are taken apart: without a registry in front, and `library` where there is no other folder. */
function repositoryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `library/${image}`;
  const isRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  return isRegistry ? rest.join('/') : image;
}

function notHere(
  image: string,
  policy: string,
  missing: string,
  recordEvent: (event: PodEvent) => void,
): PullError {
  const quoted = JSON.stringify(image);
  const why = noImageMessage(image, missing);
  if (policy === 'Never') {
    const message = `Container image ${quoted} is not present with pull policy of Never: ${why}`;
    recordEvent({ type: 'Warning', reason: 'ErrImageNeverPull', message });
    recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImageNeverPull' });
    return new PullError('ErrImageNeverPull', message);
  }
  recordEvent({ type: 'Normal', reason: 'Pulling', message: `Pulling image ${quoted}` });
  recordEvent({ type: 'Warning', reason: 'Failed', message: `Failed to pull image ${quoted}: ${why}` });
  recordEvent({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull' });
  return new PullError('ErrImagePull', why);
}
