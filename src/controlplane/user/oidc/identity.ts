import { createHash } from 'node:crypto';
import { textOf } from '@turnsole/kube/text/json';
import { Refusal } from '../../access/refusal.ts';
import { isUsername } from '../policy.ts';

/** A user's identity at a provider. */
export interface Identity {
  /** Issuer and subject: permanent and unique. */
  readonly subject: string;
  /** Empty if the provider has not verified one. */
  readonly email: string;
  readonly name: string;
  /** Candidates for the user name, in order. */
  readonly usernames: readonly string[];
}

/** Reads the claims of a verified token. Pure. @throws Refusal without a subject */
export function identityOf(claims: Readonly<Record<string, unknown>> | undefined): Identity {
  const { iss, sub } = claims ?? {};
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '')
    throw new Refusal('unauthenticated', 'the identity provider does not say who you are');
  const subject = `${iss} ${sub}`;
  const text = (claim: string): string => textOf(claims?.[claim]).trim();
  const email = claims?.email_verified === true ? text('email') : '';
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  const wished = [email, text('preferred_username')].filter((name) => isUsername(name));
  return { subject, email, name: text('name').slice(0, 1_000), usernames: [...wished, `sso-${digest}`] };
}
