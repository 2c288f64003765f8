import { Refusal } from '../access/refusal.ts';
import type { Tx } from '../store/transaction.ts';

/** How many failures in a row are free, and what each further one costs. */
interface ThrottleRule {
  readonly free: number;
  /** Delay after the first that is not free; each further one doubles it. */
  readonly firstMs: number;
  readonly mostMs: number;
}

/** What is counted of a user name or an address. */
interface Failures {
  readonly failures: number;
  readonly last_at: number;
  readonly blocked_until: number;
}

/** Whether an attempt is looked at, and what is counted then. */
type AttemptDecision =
  | { readonly refusedForMs: number }
  | { readonly failures: number; readonly blocked_until: number };

/** Many people may share an address, so it has more than a name. */
const RULES = {
  user: { free: 5, firstMs: 1_000, mostMs: 15 * 60_000 },
  address: { free: 30, firstMs: 1_000, mostMs: 15 * 60_000 },
} as const satisfies Readonly<Record<string, ThrottleRule>>;
type SubjectKind = keyof typeof RULES;

/** Failures are forgotten so long after the last one; longer than any block. */
export const FORGET_MS = 60 * 60_000;

/** Decides on an attempt to sign in, which counts as a failure until it has succeeded. Pure. */
export function decideAttempt(known: Failures | undefined, rule: ThrottleRule, now: number): AttemptDecision {
  if (known !== undefined && known.blocked_until > now) return { refusedForMs: known.blocked_until - now };
  const earlier = known === undefined || known.last_at + FORGET_MS <= now ? 0 : known.failures;
  const failures = earlier + 1;
  return { failures, blocked_until: now + delayMs(failures, rule) };
}

function delayMs(failures: number, { free, firstMs, mostMs }: ThrottleRule): number {
  const paid = failures - free;
  return paid <= 0 ? 0 : Math.min(mostMs, firstMs * 2 ** Math.min(paid - 1, 40));
}

/** Who is counted for an attempt: the name, whether there is such a user or not, and the address. */
interface Attempt {
  readonly nameKey: string;
  readonly address: string;
}

function subjects({ nameKey, address }: Attempt): readonly (readonly [SubjectKind, string])[] {
  return [
    ['user', `user ${nameKey}`],
    ['address', `address ${address}`],
  ];
}

/**
 * Counts an attempt as failed before it is looked at: of many at once no more are looked at than of as many one after the other.
 *
 * @throws Refusal while the name or the address is blocked
 */
export async function countAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  for (const [kind, subject] of subjects(attempt)) {
    const known = await failuresOf(tx, subject);
    const decision = decideAttempt(known, RULES[kind], tx.now);
    if ('refusedForMs' in decision) {
      const seconds = Math.ceil(decision.refusedForMs / 1000);
      throw new Refusal('too-many', `too many failed sign-ins: try again in ${seconds} s`);
    }
    const counted = { ...decision, last_at: tx.now };
    await tx.db
      .insertInto('login_failures')
      .values({ subject, ...counted })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet(counted))
      .execute();
  }
}

function failuresOf({ db }: Tx, subject: string): Promise<Failures | undefined> {
  return db
    .selectFrom('login_failures')
    .select(['failures', 'last_at', 'blocked_until'])
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** After a success the name begins anew. Of the address only this attempt is taken back: who has one account may not try others for ever. */
export async function attemptSucceeded(tx: Tx, attempt: Attempt): Promise<void> {
  await forgetFailures(tx, attempt.nameKey);
  await tx.db
    .updateTable('login_failures')
    .set(({ eb }) => ({ failures: eb('failures', '-', 1), blocked_until: 0 }))
    .where('subject', '=', `address ${attempt.address}`)
    .where('failures', '>', 0)
    .execute();
}

/** Lets a user name try again at once. */
export async function forgetFailures(tx: Tx, nameKey: string): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('subject', '=', `user ${nameKey}`).execute();
}
