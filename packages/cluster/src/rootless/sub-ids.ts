/** A user as the files of sub-ids name him. */
export interface UserName {
  readonly uid: number;
  /** Undefined where the machine has no name for him. */
  readonly name: string | undefined;
}

/**
 * Whether a text of /etc/subuid or /etc/subgid gives a user further ids (subuid(5)): lines of name or number, first id, count. Pure.
 */
export function hasSubIds(text: string, { uid, name }: UserName): boolean {
  return text.split('\n').some((line) => {
    const [owner, , count] = line.split(':');
    return (owner === String(uid) || (name !== undefined && owner === name)) && Number(count) > 0;
  });
}
