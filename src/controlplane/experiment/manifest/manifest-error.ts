/** A manifest that cannot be an experiment. The message is one that clients of ChaosCenter know, where there is one. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}
