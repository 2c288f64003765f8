import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A Node of this machine that hands over, if there is one. */
export function olderNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    if (!existsSync(path)) return false;
    const major = Number.parseInt(
      execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }),
      10,
    );
    return major >= 18 && major < 24;
  });
}
