import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const FAULT = 'pod-network-loss';

describe('what this machine does not allow', { concurrency: 2 }, () => {
  for (const command of ['run', 'plan']) {
    it(`ends turnsole ${command} with code 3 and the reason, before anything starts`, async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'chaos.yaml');
      const experiments = [{ name: FAULT, env: { TOTAL_CHAOS_DURATION: '5' } }];
      await writeFile(file, documents(webApp(1), chaosAccount(), experiment(FAULT), engine({ experiments })));
      const { code, stdout, stderr } = await turnsole([command, file, '--isolation', 'none']);
      assert.equal(code, 3, stdout + stderr);
      // As root only the isolation is missing; without root the capabilities are as well.
      assert.match(
        stdout + stderr,
        /cannot inject pod-network-loss: (pods share networks, processes and files here|this process lacks CAP_NET_ADMIN)/,
      );
      assert.doesNotMatch(stdout, /Verdict/);
    });
  }

  it('gives a warning for each manifest that has no effect', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'chaos.yaml');
    await writeFile(file, documents(POLICY, webApp(1), chaosAccount(), experiment('pod-delete'), engine()));
    const { code, stdout, stderr } = await turnsole(['plan', file, '--isolation', 'none']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(
      stderr,
      /warning: .*chaos\.yaml:\d+: NetworkPolicy closed: this cluster stores NetworkPolicies and does not enforce them: pods are not isolated/,
    );
  });
});

const POLICY = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed }
spec: { podSelector: { matchLabels: { app: other } } }
`;
