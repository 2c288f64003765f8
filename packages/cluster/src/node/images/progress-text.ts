import type { ImageProgress } from '../../images/types.ts';

/** `downloading 12.5 of 80.1 MB, 2 of 5 layers`; pure. */
export function progressText({
  step,
  doneBytes,
  totalBytes,
  doneLayers,
  totalLayers,
}: ImageProgress): string {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  const layers = `${doneLayers} of ${totalLayers} layers`;
  switch (step) {
    case 'resolve':
      return 'asking the registry';
    case 'download':
      return `downloading ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB, ${layers}`;
    case 'unpack':
      return `unpacking ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB, ${layers}`;
  }
}
