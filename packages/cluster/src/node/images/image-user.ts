/** The user of a container of an image, by the texts of the image's own passwd(5) and group(5). */
import type { Container, Pod } from '@turnsole/kube/kinds/core';

/** Numbers of a container's processes. */
export interface ImageUser {
  readonly uid: number;
  readonly gid: number;
  /** Further groups, of which the image says that the user is a member. */
  readonly groups: readonly number[];
  /** Home of the user; `/` for one that the image does not know. */
  readonly home: string;
}

/** The texts that names are looked up in; empty where the image has none. */
interface UserTexts {
  readonly passwd: string;
  readonly group: string;
}

/**
 * Gives the user that the security contexts of pod and container ask for, else that of the image, else root; pure. A user without a group gets
 * that of passwd, and the groups that the image lists it in (`supplementalGroupsPolicy: Merge`), as container runtimes have it.
 *
 * @param wanted `user` of the image's configuration: `name`, `uid`, `name:group`, `uid:gid`
 * @throws Error for a name that the image does not know
 */
export function imageUser(
  pod: Pod,
  { securityContext: own }: Container,
  wanted: string,
  texts: UserTexts,
): ImageUser {
  const ofPod = pod.spec?.securityContext;
  const asked = own?.runAsUser ?? ofPod?.runAsUser;
  const [ofImage = '', groupOfImage = ''] = wanted.split(':');
  const user = asked === undefined ? ofImage : String(asked);
  const accounts = lines(texts.passwd);
  const account = accounts.find(([name, , uid]) => (isNumber(user) ? uid === user : name === user));
  if (account === undefined && user !== '' && !isNumber(user)) {
    throw new Error(`unable to find user ${user}: no matching entries in passwd file of the image`);
  }
  const uid = Number(account?.[2] ?? (user === '' ? 0 : user));
  const entry = account ?? accounts.find(([, , id]) => id === String(uid));
  const group = asked === undefined ? groupOfImage : '';
  const gid = own?.runAsGroup ?? ofPod?.runAsGroup ?? groupNumber(group, texts.group) ?? numberOf(entry?.[3]);
  const name = entry?.[0];
  const isStrict = (ofPod as { supplementalGroupsPolicy?: string } | undefined)?.supplementalGroupsPolicy;
  const groups = isStrict === 'Strict' || name === undefined ? [] : groupsOf(name, texts.group);
  return {
    uid,
    gid: gid ?? 0,
    groups: groups.filter((number) => number !== gid),
    home: entry?.[5] || '/',
  };
}

/** Why an image may not run in a pod that asks for `runAsNonRoot` and names no user, in kubelet's words; pure. */
export function nonRootProblem(wanted: string): string | undefined {
  const [user = ''] = wanted.split(':');
  if (user === '' || Number(user) === 0) return 'container has runAsNonRoot and image will run as root';
  if (isNumber(user)) return undefined;
  return `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`;
}

/** @throws Error for a name that the image does not know */
function groupNumber(group: string, text: string): number | undefined {
  if (group === '') return undefined;
  if (isNumber(group)) return Number(group);
  const found = lines(text).find(([name]) => name === group);
  if (found === undefined) {
    throw new Error(`unable to find group ${group}: no matching entries in group file of the image`);
  }
  return numberOf(found[2]);
}

function groupsOf(user: string, text: string): number[] {
  const found = lines(text).filter(([, , , members = '']) => members.split(',').includes(user));
  return found.flatMap(([, , id]) => numberOf(id) ?? []);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && isNumber(text) ? Number(text) : undefined;
}

function isNumber(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}

function lines(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^[^:]+:/.test(line))
    .map((line) => line.split(':'));
}
