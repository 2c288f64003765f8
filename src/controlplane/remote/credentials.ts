/** Credentials for a repository. Texts are secrets, except the user. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'ssh'; readonly privateKey: string };

/** A message without secrets. Pure. */
export function withoutSecrets(message: string, credentials: Credentials): string {
  return secretsOf(credentials).reduce((text, secret) => text.replaceAll(secret, '***'), message);
}

/** Texts of git when a server over HTTP wants other credentials than those that were sent. Git cannot ask for them here. */
const WANTS_CREDENTIALS =
  /unable to read askpass|could not read (?:Username|Password)|terminal prompts disabled|Authentication failed/;

/** What git's text means where the server refuses the credentials; other texts as they are. Pure. */
export function explained(message: string, { kind }: Credentials): string {
  if (!WANTS_CREDENTIALS.test(message)) return message;
  return kind === 'password'
    ? 'the repository refuses the user name and the password or token; check them, and whether they may read it'
    : 'the repository asks for a user name and a password or token, and none are given (or it does not exist)';
}

function secretsOf(credentials: Credentials): string[] {
  const secrets =
    credentials.kind === 'password'
      ? [credentials.password, encodeURIComponent(credentials.password), basicOf(credentials)]
      : credentials.kind === 'ssh'
        ? credentials.privateKey.split('\n')
        : [];
  // Replacing a shorter one would make the message unreadable, and it is no real secret.
  return secrets.filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
}

/** User and password in the form of the header. Pure. */
export function basicOf({ user, password }: { readonly user: string; readonly password: string }): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
