import { readOrEmpty } from '@turnsole/kube/base/machine';

/** A cluster with ten pods has some 500 files and connections open. */
const ENOUGH = 1024;

/**
 * Why a cluster of this process may have too few files open at once; undefined where it has enough, or nothing says so.
 *
 * @param limits text of `/proc/self/limits`. Node has raised the soft limit to the hard one by itself
 */
export function tooFewOpenFiles(limits = readOrEmpty('/proc/self/limits')): string | undefined {
  const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (most === undefined || Number(most) >= ENOUGH) return undefined;
  return (
    `this process may have ${most} files open at once, and a cluster needs more (some 300 with four pods): requests, pods and probes may fail; ` +
    `start it where "ulimit -Hn" says ${ENOUGH} or more, in a container by --ulimit nofile=${ENOUGH}`
  );
}
