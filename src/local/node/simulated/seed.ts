/** A number in [0, 1) that follows from the texts alone (FNV-1a): the same seed makes the same simulation. */
export function fractionOf(...texts: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  // The low bits of FNV vary least between similar texts: fold the high ones in.
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
