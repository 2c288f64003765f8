import { existsSync } from 'node:fs';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import type { NamespaceSettings } from './why-not.ts';

/** Reads what of this machine keeps users from namespaces. */
export function readNamespaceSettings(): NamespaceSettings {
  return {
    userClone: readOrEmpty('/proc/sys/kernel/unprivileged_userns_clone'),
    appArmorRestricts: readOrEmpty('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    maxNamespaces: readOrEmpty('/proc/sys/user/max_user_namespaces'),
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  };
}
