import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
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

/**
 * A name from one address, or in a browser that its user has signed in with, gets few attempts. A name from all other addresses together gets more, with shorter
 * delays: that bounds guessing from many addresses, and counts for no browser that its user has signed in with. Many users may share an address.
 */
const RULES = {
  pair: { free: 5, firstMs: 1_000, mostMs: 15 * 60_000 },
  device: { free: 5, firstMs: 1_000, mostMs: 15 * 60_000 },
  user: { free: 50, firstMs: 1_000, mostMs: 60_000 },
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

/** What an attempt is counted by: the name, whether the user exists or not, and where it comes from. */
interface Attempt {
  readonly nameKey: string;
  readonly address: string;
  /** Id of a browser, or a session, that has shown that it is the user's. */
  readonly device?: string | undefined;
}

/** The subjects of an attempt. Names are hashed: they may hold anything. Pure. */
export function subjects({ nameKey, address, device }: Attempt): readonly (readonly [SubjectKind, string])[] {
  const [name, network] = [hashOf(nameKey), networkOf(address)];
  const ofAddress = ['address', `address ${network}`] as const;
  if (device !== undefined) return [['device', `device ${device}`], ofAddress];
  return [['pair', `pair ${name} ${network}`], ['user', `user ${name}`], ofAddress];
}

function hashOf(nameKey: string): string {
  return createHash('sha256').update(nameKey).digest('base64url');
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
 * Resets the count of the name from this address, or in this browser, after a success. For the address, and for the name from everywhere, it only undoes this
 * attempt, so that the owner of one account cannot guess others for ever, and a sign-in of the user gives those who guess no further attempts.
 */
export async function attemptSucceeded(tx: Tx, attempt: Attempt): Promise<void> {
  for (const [kind, subject] of subjects(attempt)) {
    if (kind === 'pair' || kind === 'device') {
      await tx.db.deleteFrom('login_failures').where('subject', '=', subject).execute();
      continue;
    }
    await tx.db
      .updateTable('login_failures')
      .set(({ eb }) => ({ failures: eb('failures', '-', 1), blocked_until: 0 }))
      .where('subject', '=', subject)
      .where('failures', '>', 0)
      .execute();
  }
}

/** Allows attempts for a user name again at once, from everywhere. */
export async function forgetFailures(tx: Tx, nameKey: string): Promise<void> {
  const name = hashOf(nameKey);
  await tx.db
    .deleteFrom('login_failures')
    // Between these two are all texts that begin with the first one; base64url has no character beyond `~`.
    .where(({ or, and, eb }) =>
      or([
        eb('subject', '=', `user ${name}`),
        and([eb('subject', '>=', `pair ${name} `), eb('subject', '<', `pair ${name} ~`)]),
      ]),
    )
    .execute();
}

/** Groups of an IPv6 address that one customer has for itself, at the least. */
const NETWORK_GROUPS = 4;

/** What attempts to sign in are counted by: an IPv4 address, or the /64 network of an IPv6 one, which has 2⁶⁴ addresses to choose from. Pure. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::', 2);
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...last];
  const network = all.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
