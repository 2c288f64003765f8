import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saysNoShell } from './no-shell.ts';

test('an image without a shell is known by the words of the container runtimes', () => {
  const cases = [
    [
      'OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown',
      true,
    ],
    ['exec: "/bin/sh": stat /bin/sh: no such file or directory (working directory /)', true],
    ['executable file `/bin/sh` not found: No such file or directory', true],
    // Of programs that a shell has looked for.
    ['/bin/sh: md5sum: not found', false],
    ['exec: "md5sum": executable file not found in $PATH', false],
    ['/bin/sh: can’t open /scripts/run.sh: no such file or directory', false],
  ] as const;
  for (const [said, expected] of cases) assert.equal(saysNoShell(said), expected, said);
});
