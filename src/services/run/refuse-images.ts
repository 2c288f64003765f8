import { objectKey, type PodSpec } from '@turnsole/kube/kinds/core';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { isObject } from '@turnsole/kube/text/json';
import { CommandError } from '../errors.ts';
import type { Manifest } from '../manifests/load.ts';

/** An image that an embedded cluster lacks, with what names it. */
interface MissingImage {
  readonly name: string;
  readonly users: readonly string[];
}

/** Images of the pods of manifests that stand for nothing, each once. Pure. */
function missingImagesOf(
  manifests: readonly Manifest[],
  knowsImage: (image: string) => boolean,
): MissingImage[] {
  const users = new Map<string, Set<string>>();
  for (const { object } of manifests) {
    for (const image of imagesOf(object)) {
      if (knowsImage(image)) continue;
      // Names are compared without registry and tag.
      const name = parseImage(image)?.path ?? image;
      users.set(name, (users.get(name) ?? new Set()).add(`${object.kind} ${objectKey(object)}`));
    }
  }
  return [...users].map(([name, of]) => ({ name, users: [...of] }));
}

/**
 * Refuses manifests whose pods could not start, before anything of them is applied: with all images at once, and what to write for them.
 *
 * @throws CommandError (could not run)
 */
export function refuseMissingImages(
  manifests: readonly Manifest[],
  knowsImage: (image: string) => boolean,
): void {
  const missing = missingImagesOf(manifests, knowsImage);
  if (missing.length === 0) return;
  const lines = missing.map(({ name, users }) => `  ${name} (${users.join(', ')})`);
  const message = [
    `the embedded cluster runs images from its catalogue and pulls none; ${missing.length === 1 ? 'one is' : `${missing.length} are`} not in it:`,
    ...lines,
    'write the commands that they stand for into turnsole.yaml ("turnsole init" proposes them), or take --image NAME=COMMAND:',
    'images:',
    ...missing.map(({ name }) => `  ${name}: COMMAND`),
  ];
  throw new CommandError(message.join('\n'), 'IMAGES_MISSING');
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
