import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A kernel that is unpacked but not installed. */
export interface UnpackedKernel {
  readonly image: string;
  readonly version: string;
  /** Folder that `modprobe -d` takes. */
  readonly root: string;
  /** Folder that has `kernel/…` and `modules.dep`. */
  readonly modules: string;
}

/** Modules without which the machine has no root. What tests need, the kernel asks for when there is one. */
export const FOR_ROOT: readonly string[] = ['virtio_pci', '9pnet_virtio', '9p'];
const PATHS = /kernel\/(?:drivers\/virtio|net\/9p|fs\/(?:9p|netfs|fscache))\//;

/** Whether a file of the kernel's modules is needed before there is a root. Pure. */
export function isForRoot(path: string): boolean {
  return !path.endsWith('.ko') || PATHS.test(path);
}

/**
 * Unpacks Debian's newest kernel for this machine's release into the cache, once per version.
 *
 * @throws when apt cannot get the package
 */
export function unpackKernel(): UnpackedKernel {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'turnsole', 'netem');
  const meta = execFileSync('apt-cache', ['depends', 'linux-image-amd64'], { encoding: 'utf8' });
  const name = /Depends: (linux-image-\S+)/.exec(meta)?.[1];
  if (name === undefined)
    throw new Error('apt knows no linux-image-amd64; run apt-get update on a Debian of amd64');
  const folder = join(cache, name);
  const version = name.replace('linux-image-', '');
  const modules = join(folder, 'lib', 'modules', version);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(folder, { recursive: true });
    if (!readdirSync(folder).some((entry) => entry.endsWith('.deb')))
      execFileSync('apt-get', ['download', name], { cwd: folder, stdio: 'inherit' });
    const file = readdirSync(folder).find((entry) => entry.endsWith('.deb')) ?? '';
    execFileSync('dpkg-deb', ['-x', file, '.'], { cwd: folder });
    execFileSync('depmod', ['-b', folder, version]);
    writeFileSync(join(folder, 'complete'), '');
  }
  return { image: join(folder, 'boot', `vmlinuz-${version}`), version, root: folder, modules };
}
