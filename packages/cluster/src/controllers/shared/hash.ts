const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Letters and digits that cannot form words: no vowels and nothing that looks alike (Kubernetes' SafeEncodeString). */
const SAFE_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** JSON text with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${parts.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** FNV-1a over the UTF-8 bytes of a text, 32 bits. */
function fnv32a(text: string): number {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}

/**
 * Hash of a template as it stands in names and in the labels pod-template-hash and controller-revision-hash.
 *
 * Of the same form as Kubernetes' (decimal FNV, each digit encoded), not of the same value: theirs hashes Go's
 * memory layout. `collisionCount` is the number of times the name was found taken by something else.
 */
export function templateHash(template: unknown, collisionCount = 0): string {
  const suffix = collisionCount === 0 ? '' : `#${collisionCount}`;
  const digits = String(fnv32a(canonicalJson(template) + suffix));
  return [...digits].map((digit) => SAFE_CHARACTERS[digit.charCodeAt(0) % SAFE_CHARACTERS.length]).join('');
}
