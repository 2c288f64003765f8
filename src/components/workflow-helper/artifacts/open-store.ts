import { keyOf, type Location } from '@turnsole/workflows/artifacts/location';
import type { HelperContext } from '../context.ts';
import { type ArtifactStore, NotPossibleError } from './store.ts';

/** Opens the store of a location; what only one kind of store needs is loaded only for that. */
export async function openStore(
  location: Location,
  { secrets: readSecret, places }: Pick<HelperContext, 'secrets' | 'places'>,
): Promise<ArtifactStore> {
  const { kind, fields } = location;
  switch (kind) {
    case 'volume':
      return new (await import('./stores/volume-store.ts')).VolumeStore(fields, places.at);
    case 's3':
      return (await import('./stores/s3-store.ts')).openS3(fields, readSecret);
    case 'http':
      return (await import('./stores/http-store.ts')).openHttp(fields, readSecret);
    case 'artifactory':
      return (await import('./stores/http-store.ts')).openArtifactory(fields, readSecret);
    case 'git':
      return new (await import('./stores/git-store.ts')).GitStore(fields, readSecret);
    default:
      throw new NotPossibleError(`${keyOf(location)} lies in ${kind}, which Turnsole cannot reach`);
  }
}
