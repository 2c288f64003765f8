import { systemClock } from '@turnsole/kube/base/clock';
import { objectKey, type PodSpec } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { isObject } from '@turnsole/kube/text/json';
import { CommandError } from '../errors.ts';
import type { Manifest } from '../manifests/load.ts';
import type { OwnCluster } from '../plan/obstacles.ts';
import type { Progress } from './progress.ts';

/** An image, with what names it. */
interface UsedImage {
  readonly image: string;
  readonly users: readonly string[];
}

/** Images of the pods of manifests, each once. Pure. */
function imagesIn(manifests: readonly Manifest[]): UsedImage[] {
  const users = new Map<string, Set<string>>();
  for (const { object } of manifests) {
    for (const image of imagesOf(object)) {
      users.set(image, (users.get(image) ?? new Set()).add(`${object.kind} ${objectKey(object)}`));
    }
  }
  return [...users].map(([image, of]) => ({ image, users: [...of] }));
}

/** What brings images. */
interface BringContext {
  readonly embedded: Pick<OwnCluster, 'bringImage'>;
  readonly progress: Pick<Progress, 'step'>;
  readonly signal: AbortSignal;
}

/** At most one line about the progress of an image in this time. */
const PROGRESS_INTERVAL_MS = 5_000;

/**
 * Brings the images of all pods of manifests before anything of them is applied, and refuses them with all that cannot be had at once, with the
 * reasons and what to write for them. So no pod waits for an image while its readiness is waited for.
 *
 * @throws CommandError (could not run)
 */
export async function bringImages(manifests: readonly Manifest[], context: BringContext): Promise<void> {
  const used = imagesIn(manifests);
  const failures = await Promise.all(
    used.map(async ({ image, users }) => {
      try {
        await bring(image, context);
        return [];
      } catch (error) {
        context.signal.throwIfAborted();
        return [{ image, users, why: messageOf(error) }];
      }
    }),
  );
  const missing = failures.flat();
  if (missing.length === 0) return;
  const lines = missing.map(({ image, users, why }) => `  ${image} (${users.join(', ')}): ${why}`);
  // Names of stand-ins are compared without registry and tag.
  const names = new Set(missing.map(({ image }) => parseImage(image)?.path ?? image));
  const message = [
    `${missing.length === 1 ? 'one image' : `${missing.length} images`} of the pods cannot be had:`,
    ...lines,
    'or write the commands that stand for them into turnsole.yaml ("turnsole init" proposes them), or take --image NAME=COMMAND:',
    'images:',
    ...[...names].map((name) => `  ${name}: COMMAND`),
  ];
  throw new CommandError(message.join('\n'), 'IMAGES_MISSING');
}

async function bring(image: string, { embedded, progress, signal }: BringContext): Promise<void> {
  const { monotonic } = systemClock;
  const startedMs = monotonic();
  let saidMs = Number.NEGATIVE_INFINITY;
  const onProgress = (text: string): void => {
    if (monotonic() - saidMs < PROGRESS_INTERVAL_MS) return;
    saidMs = monotonic();
    progress.step(`image ${image}: ${text}`);
  };
  const brought = await embedded.bringImage(image, { onProgress, signal });
  const seconds = ((monotonic() - startedMs) / 1000).toFixed(1);
  if (brought === 'pulled') progress.step(`image ${image} pulled in ${seconds} s`);
  if (brought === 'left')
    progress.step(`image ${image}: its registry wants a name; pods may have one in their Secrets`);
}

/** The images of all containers of an object's pods. */
function imagesOf(object: Manifest['object']): string[] {
  const spec = podSpecOf(object);
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers.flatMap(({ image }) => (typeof image === 'string' && image !== '' ? [image] : []));
}

/** Where the kinds that make pods have their template; what is malformed is refused when it is applied. */
function podSpecOf(object: Manifest['object']): PodSpec | undefined {
  const paths: Readonly<Record<string, readonly string[]>> = {
    Pod: ['spec'],
    CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  };
  const own = Object.hasOwn(paths, object.kind) ? paths[object.kind] : undefined;
  const isTemplate = /^(?:apps|batch)\/|^v1$/.test(object.apiVersion);
  const path = own ?? (isTemplate ? ['spec', 'template', 'spec'] : []);
  if (path.length === 0) return undefined;
  const found = path.reduce<unknown>((value, field) => (isObject(value) ? value[field] : undefined), object);
  const isSpec = isObject(found) && Array.isArray(found['containers']);
  return isSpec ? (found as unknown as PodSpec) : undefined;
}
