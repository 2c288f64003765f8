/** Credentials for a repository. Texts are secrets, except the user. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'ssh'; readonly privateKey: string };

/** A message without secrets. Pure. */
export function withoutSecrets(message: string, credentials: Credentials): string {
  return secretsOf(credentials).reduce((text, secret) => text.replaceAll(secret, '***'), message);
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
