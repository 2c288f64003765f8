import { Refusal } from '../access/refusal.ts';
import type { Tx } from '../store/transaction.ts';

/** Number of failures without a delay, and the delay of each further one. */
interface ThrottleRule {
  readonly free: number;
  /** Delay after the first failure beyond that; each further one doubles it. */
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Counted failures of a user name or an address. */
interface Failures {
  readonly failures: number;
  readonly last_at: number;
  readonly blocked_until: number;
}

/** Whether an attempt is allowed, and the new count. */
type AttemptDecision =
  | { readonly refusedForMs: number }
  | { readonly failures: number; readonly blocked_until: number };

/** Many users may share an address, so it gets more attempts than a name. */
const RULES = {
  user: { free: 5, firstMs: 1_000, mostMs: 15 * 60_000 },
  address: { free: 30, firstMs: 1_000, mostMs: 15 * 60_000 },
} as const satisfies Readonly<Record<string, ThrottleRule>>;
type SubjectKind = keyof typeof RULES;

/** Failures expire so long after the last one; longer than any delay. */
export const FORGET_MS = 60 * 60_000;

/** Decides whether an attempt to sign in is allowed. It counts as a failure until it has succeeded. Pure. */
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

/** The counted subjects of an attempt: the name, whether the user exists or not, and the address. */
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
 * Counts an attempt as failed before it is checked, so that concurrent attempts get no more checks than sequential ones.
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

/**
 * Resets the count of the name after a success. For the address it only undoes this attempt, so that the owner of one account cannot guess
 * others for ever.
 */
export async function attemptSucceeded(tx: Tx, attempt: Attempt): Promise<void> {
  await forgetFailures(tx, attempt.nameKey);
  await tx.db
    .updateTable('login_failures')
    .set(({ eb }) => ({ failures: eb('failures', '-', 1), blocked_until: 0 }))
    .where('subject', '=', `address ${attempt.address}`)
    .where('failures', '>', 0)
    .execute();
}

/** Allows attempts for a user name again at once. */
export async function forgetFailures(tx: Tx, nameKey: string): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('subject', '=', `user ${nameKey}`).execute();
}
