import { createHash } from 'node:crypto';

/** Numbers in [0, 1) that follow from a text and from what they are for: the same for all who know both. */
export function drawsOf(seed: string): (subject: number) => number {
  return (subject) => createHash('sha256').update(`${seed}\n${subject}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
