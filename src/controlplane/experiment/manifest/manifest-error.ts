/** A manifest that cannot be an experiment. The message is ChaosCenter's, if there is one. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}
