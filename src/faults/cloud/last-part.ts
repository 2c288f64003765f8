/** `123456789012/eu-west-1/i-0abc` gives `i-0abc`; a URL of a resource its name. Pure. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
