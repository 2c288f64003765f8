import { readOrEmpty } from '@turnsole/kube/base/machine';

/** The users and groups of the user namespace that this process is in (user_namespaces(7)). */
export interface UserNamespace {
  /** Whether it is the machine's own: its root is the machine's. Always where there are no such namespaces. */
  readonly isMachine: boolean;
  hasUser(id: number): boolean;
  hasGroup(id: number): boolean;
  /** Whether processes may choose their groups: one id of a user without a helper of his system comes without this right. */
  readonly choosesGroups: boolean;
}

/** What is in /proc/self of it: `uid_map`, `gid_map` and `setgroups`; empty where the kernel has none. */
interface UserNamespaceTexts {
  readonly users: string;
  readonly groups: string;
  readonly setgroups: string;
}

/** Every number that an id can have: 0 to 4,294,967,294. */
const ALL_IDS = 2 ** 32 - 1;

/** Reads the namespace of this process. */
export function readUserNamespace(): UserNamespace {
  return userNamespace({
    users: readOrEmpty('/proc/self/uid_map'),
    groups: readOrEmpty('/proc/self/gid_map'),
    setgroups: readOrEmpty('/proc/self/setgroups'),
  });
}

/** The namespace that these texts describe; pure. */
export function userNamespace({ users, groups, setgroups }: UserNamespaceTexts): UserNamespace {
  const [ofUsers, ofGroups] = [idRanges(users), idRanges(groups)];
  return {
    isMachine: ofUsers.length === 0 || ofUsers.some(({ count }) => count === ALL_IDS),
    hasUser: (id) => isIn(id, ofUsers),
    hasGroup: (id) => isIn(id, ofGroups),
    choosesGroups: setgroups.trim() !== 'deny',
  };
}

interface IdRange {
  readonly first: number;
  readonly count: number;
}

function idRanges(text: string): IdRange[] {
  return text.split('\n').flatMap((line) => {
    const [first, , count] = line.trim().split(/\s+/).map(Number);
    return first === undefined || count === undefined ? [] : [{ first, count }];
  });
}

/** Without a map there are no such namespaces, and every id is there. */
function isIn(id: number, ranges: readonly IdRange[]): boolean {
  return ranges.length === 0 || ranges.some(({ first, count }) => id >= first && id < first + count);
}
