import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { WaitTimeoutError } from '@turnsole/kube/runtime/wait';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { followWorkflow } from './follow.ts';

const workflow: Workflow = {
  metadata: { name: 'w', namespace: 'shop', uid: 'u' },
  spec: {},
  status: { phase: 'Running' },
};

test('a workflow that does not end in the given time is followed no longer', async () => {
  // Only what the wait asks for.
  const client = {
    find: async () => workflow,
    list: async () => ({ items: [workflow], metadata: { resourceVersion: '1' } }),
    // oxlint-disable-next-line require-yield -- It reports nothing.
    watch: async function* (_resource: unknown, { signal }: { readonly signal: AbortSignal }) {
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
    },
  } as unknown as KubeClient;
  const limits = { client, timeoutMs: 50 };
  await assert.rejects(followWorkflow(workflow, limits), WaitTimeoutError);
});
