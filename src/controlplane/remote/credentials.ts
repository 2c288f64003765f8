/** What a repository is asked with. Texts are secrets, but for the user. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'ssh'; readonly privateKey: string };

/** A message without anything that was to be secret. Pure. */
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
  // A shorter one would blacken half of the message, and is no secret to those who read the rest.
  return secrets.filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
}

/** User and password as a header says them. Pure. */
export function basicOf({ user, password }: { readonly user: string; readonly password: string }): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
