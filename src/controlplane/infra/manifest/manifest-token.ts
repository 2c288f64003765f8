import type { ControlPlane } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';

/** What links to manifests are sealed for. */
const MANIFEST_LINK = 'manifest link';
/** Whoever has a link has the agent's key: it is for the minutes between a click and `kubectl apply`. */
const HOLDS_MS = 3_600_000;

/** A token by which the manifest of an infrastructure is downloaded, for an hour. */
export function manifestToken(infra: string, { secrets, clock }: ControlPlane): string {
  return secrets.seal(MANIFEST_LINK, JSON.stringify([infra, clock.now() + HOLDS_MS]));
}

/** The infrastructure that a token is for. @throws Refusal when it is none of ours, or too old */
export function infraOfToken(token: string, { secrets, clock }: ControlPlane): string {
  let text: string;
  try {
    text = secrets.open(MANIFEST_LINK, token);
  } catch (error) {
    throw new Refusal('unauthenticated', 'this link to a manifest is not valid', { cause: error });
  }
  // Written above.
  const [infra, until] = JSON.parse(text) as [string, number];
  if (until > clock.now()) return infra;
  throw new Refusal('unauthenticated', 'this link to a manifest has expired; ask for the manifest again');
}
