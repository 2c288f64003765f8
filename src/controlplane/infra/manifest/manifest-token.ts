import type { ControlPlane } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';

/** Purpose for sealing links to manifests. */
const MANIFEST_LINK = 'manifest link';
/** Short, because a link gives access to the agent's key: it is for the minutes between a click and `kubectl apply`. */
const HOLDS_MS = 3_600_000;

/** A token for the download of an infrastructure's manifest, valid for an hour. */
export function manifestToken(infra: string, { secrets, clock }: ControlPlane): string {
  return secrets.seal(MANIFEST_LINK, JSON.stringify([infra, clock.now() + HOLDS_MS]));
}

/** The infrastructure of a token, and when the token was made. @throws Refusal if it is not ours, or too old */
export function infraOfToken(
  token: string,
  { secrets, clock }: ControlPlane,
): { readonly infra: string; readonly madeAt: number } {
  let text: string;
  try {
    text = secrets.open(MANIFEST_LINK, token);
  } catch (error) {
    throw new Refusal('unauthenticated', 'this link to a manifest is not valid', { cause: error });
  }
  // Written above.
  const [infra, until] = JSON.parse(text) as [string, number];
  if (until > clock.now()) return { infra, madeAt: until - HOLDS_MS };
  throw expiredLink();
}

export function expiredLink(): Refusal {
  return new Refusal('unauthenticated', 'this link to a manifest has expired; ask for the manifest again');
}
