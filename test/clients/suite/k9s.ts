import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import { ENTER, inTerminal } from './terminal.ts';

/** The terminal dashboard, in a terminal. */
export const K9S: Client = {
  name: 'k9s',
  programs: ['k9s', 'script'],
  covers: 'starts in a terminal, shows pods, deployments and chaosengines, and ends',
  version: async ({ stage, program, programs }) =>
    /v?(\d+\.\d+\.\d+)/.exec(await stage.ok(program('k9s'), ['version', '--short']))?.[1] ??
    programs.notedVersion('k9s'),
  async run({ stage, program, checks }) {
    await stage.cluster();
    await stage.application('web', 'default');
    await checks.expected('pods, deployments and chaosengines are shown', async () => {
      const { text } = await inTerminal(
        program('script'),
        [program('k9s'), '-n', 'default', '-c', 'pods'],
        [
          [/web-[a-z0-9]+-[a-z0-9]+[\s\S]*Running/, `:deployments${ENTER}`],
          [/eployments\(default\)\[1\]/, `:chaosengines${ENTER}`],
          [/haosengines\(default\)\[0\]/, `:quit${ENTER}`],
        ],
        await stage.environment(),
      );
      assert.doesNotMatch(text, /panic|Boom/);
    });
  },
};
