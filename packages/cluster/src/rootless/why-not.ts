/** Where a user may be root of namespaces of his own, and what to do where he may not. */

/** What the decision follows from. */
interface Candidate {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly isolation: 'auto' | 'none' | 'full';
  readonly isSimulated: boolean;
}

/** Whether a cluster is started in namespaces of its own: an ordinary user's, on Linux, whose pods have to be isolated. Pure. */
export function isAskedFor(candidate: Candidate): boolean {
  return candidate.isolation === 'full' && isPossible(candidate);
}

/** Whether a cluster may be started in namespaces of its own where pods turn out to need it. Pure. */
export function isLeftOpen(candidate: Candidate): boolean {
  return candidate.isolation === 'auto' && isPossible(candidate);
}

function isPossible({ platform, uid, isSimulated }: Candidate): boolean {
  return platform === 'linux' && uid !== 0 && !isSimulated;
}

/** Settings of the kernel that keep users from namespaces: texts of files in /proc/sys, empty where there is no such file. */
export interface NamespaceSettings {
  /** kernel.unprivileged_userns_clone, of Debian's kernels. */
  readonly userClone: string;
  /** kernel.apparmor_restrict_unprivileged_userns, of Ubuntu's. */
  readonly appArmorRestricts: string;
  /** user.max_user_namespaces. */
  readonly maxNamespaces: string;
  /** Whether this is a container, whose runtime decides. */
  readonly isContainer: boolean;
}

/** Why a user may not have namespaces of his own, and the one command that helps; undefined where no setting forbids them. Pure. */
export function settingAgainst({
  userClone,
  appArmorRestricts,
  maxNamespaces,
  isContainer,
}: NamespaceSettings): { readonly why: string; readonly help: string } | undefined {
  const isZero = (text: string): boolean => text.trim() === '0';
  if (isZero(userClone))
    return {
      why: 'this kernel gives them to root alone',
      help: 'sysctl -w kernel.unprivileged_userns_clone=1',
    };
  if (isZero(maxNamespaces))
    return { why: 'this kernel gives none to anybody', help: 'sysctl -w user.max_user_namespaces=15000' };
  if (appArmorRestricts.trim() === '1')
    return {
      why: 'AppArmor takes all rights from root of one',
      help: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    };
  if (isContainer)
    return {
      why: 'this is a container, whose runtime does not allow them',
      help: 'run it as root in a privileged container, or outside of one',
    };
  return undefined;
}

/** The sentence for users: what was said when it was tried, and what helps. Pure. */
export function explainRefusal(said: string, settings: NamespaceSettings): string {
  const against = settingAgainst(settings);
  const found = `this user cannot be root of namespaces of his own: ${said}`;
  return against === undefined ? found : `${found}; ${against.why}: ${against.help}`;
}
