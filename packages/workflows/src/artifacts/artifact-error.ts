/** An artifact that cannot be brought or stored as it is described; the message names it and says what to do. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
}
