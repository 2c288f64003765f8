import { Refusal } from '../access/refusal.ts';

const LEAST_CHARACTERS = 8;
/** Upstream accepts 16. Longer passwords are better; this only bounds the work. */
const MOST_CHARACTERS = 128;
const CLASSES = [/[0-9]/, /[a-z]/, /[A-Z]/, /[@$!%*?_&#]/];

/** Upstream's, so that its page and users of single sign-on, whose names are e-mail addresses, keep working. */
const USERNAME = /^[a-zA-Z0-9][a-zA-Z0-9._@+-]{2,253}$/;
/** A syntactic check; only a mail could show whether the address exists. */
const EMAIL = /^[^\s@<>]{1,64}@[^\s@<>]{1,189}$/;

/** @throws Refusal for a password that is too easy to guess */
export function checkPassword(password: string): void {
  const { length } = [...password];
  const fits = length >= LEAST_CHARACTERS && length <= MOST_CHARACTERS;
  if (fits && CLASSES.every((pattern) => pattern.test(password))) return;
  throw new Refusal(
    'invalid',
    `Please ensure the password is atleast ${LEAST_CHARACTERS} characters long and atmost ${MOST_CHARACTERS} characters long and has atleast 1 digit, 1 lowercase alphabet, 1 uppercase alphabet and 1 special character`,
    { status: 401, error: 'password_policy_violation' },
  );
}

/** Whether users may have this name. */
export function isUsername(username: string): boolean {
  return USERNAME.test(username);
}

/** @throws Refusal for a name that users may not have */
export function checkUsername(username: string): void {
  if (isUsername(username)) return;
  throw new Refusal(
    'invalid',
    'The username should be at least 3 characters long and at most 254 characters long, must start with a letter or digit, and can only contain letters, digits, and the characters . _ - @ +',
    { status: 401, error: 'username_policy_violation' },
  );
}

/** @throws Refusal for a text that is neither empty nor an address */
export function checkEmail(email: string): void {
  if (email === '' || EMAIL.test(email)) return;
  throw new Refusal('invalid', 'Email address is invalid', { error: 'invalid email' });
}

/** Key for case-insensitive comparison of user names. */
export function nameKey(username: string): string {
  return username.toLowerCase();
}
