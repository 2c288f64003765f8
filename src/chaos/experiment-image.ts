import type { EngineExperiment } from '../api/schema/engine.ts';
import type { ExperimentDefinition } from '../api/schema/experiment.ts';
import { type OwnImage, replaceUpstreamImage } from './own-image.ts';

/** The image that runs an experiment and its pull policy, with ours in place of upstream's; undefined without an image. Pure. */
export function experimentImage(
  definition: ExperimentDefinition,
  entry: EngineExperiment,
  ownImage: OwnImage | undefined,
): { readonly image: string; readonly pullPolicy: string } | undefined {
  const image = entry.spec?.components?.experimentImage || definition.image || '';
  if (image === '') return undefined;
  return replaceUpstreamImage({ image, pullPolicy: definition.imagePullPolicy || 'Always' }, ownImage);
}
