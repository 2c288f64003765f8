/** The address to go to after signing in: one of this page only, or undefined. Pure. */
export function returnPath(search: string): string | undefined {
  const path = new URLSearchParams(search).get('to');
  // Two slashes, or characters that browsers treat as slashes, would lead to another host.
  return path !== null && /^\/(?![/\\])/.test(path) ? path : undefined;
}

/** The search part of the sign-in's address that leads back to `path`. */
export function returningTo(path: string): string {
  return `?${new URLSearchParams({ to: path })}`;
}
