import { findProgram, readOwnStatus } from '@turnsole/kube/base/machine';

/** What this machine and this process have, as far as faults may need it; `status` is that of `readOwnStatus`. */
export function ownFeatures(): {
  readonly platform: NodeJS.Platform;
  readonly status: string;
  readonly hasTool: (name: string) => boolean;
} {
  const hasTool = (name: string): boolean => findProgram(name) !== undefined;
  return { platform: process.platform, status: readOwnStatus(), hasTool };
}
