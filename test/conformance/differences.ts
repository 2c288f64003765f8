import type { DeliberateDifference, DeliberatePlace } from './harness/replay.ts';

/** The way of `crud-…`: what is left of an object that a finalizer would hold. */
function unprotected(scenario: string): DeliberatePlace[] {
  const deletion = ['/body/metadata/deletionTimestamp', '/body/metadata/deletionGracePeriodSeconds'];
  return [
    { scenario, step: 1, pointers: ['/body/metadata/finalizers'] },
    { scenario, step: 3, pointers: ['/body/metadata/finalizers'] },
    { scenario, step: 4, pointers: ['/body/items/*/metadata/finalizers'] },
    { scenario, step: 5, pointers: ['/body/metadata/finalizers'] },
    { scenario, step: 7, pointers: ['/body/metadata/finalizers', ...deletion] },
    { scenario, step: 8, pointers: ['/status', '/body'] },
  ];
}

/** Where the embedded cluster differs on purpose. Anything else that differs is a fault. */
export const DELIBERATE_DIFFERENCES: readonly DeliberateDifference[] = [
  {
    reason:
      'Claims and volumes have no protection finalizers: a claim is a folder, and nothing has to be unmounted before it is deleted.',
    places: [...unprotected('crud-persistentvolumeclaim'), ...unprotected('crud-persistentvolume')],
  },
  {
    reason:
      'A new node has no not-ready taint: nodes of the embedded cluster are ready when they are registered, and a taint would only keep pods waiting.',
    places: [
      { scenario: 'crud-node', step: 1, pointers: ['/body/spec/taints'] },
      { scenario: 'crud-node', step: 3, pointers: ['/body/spec/taints'] },
      { scenario: 'crud-node', step: 4, pointers: ['/body/items/*/spec/taints'] },
      { scenario: 'crud-node', step: 5, pointers: ['/body/spec/taints'] },
      { scenario: 'node-taints-and-cordon', step: 1, pointers: ['/body/spec/taints'] },
    ],
  },
  {
    reason:
      'The API server does not track field owners of objects that are only written without a field manager, because that would double their size; the first apply attributes the existing fields to before-first-apply.',
    places: [
      { scenario: 'managed-fields-of-the-user-agent', step: 1, pointers: ['/body/metadata/managedFields'] },
      { scenario: 'managed-fields-of-the-user-agent', step: 2, pointers: ['/body/metadata/managedFields'] },
      { scenario: 'apply-after-creation-by-others', step: 1, pointers: ['/body/metadata/managedFields'] },
      {
        scenario: 'apply-after-creation-by-others',
        step: 2,
        pointers: ['/body/message', '/body/details/causes/*/message'],
      },
      { scenario: 'apply-after-creation-by-others', step: 3, pointers: ['/body/metadata/managedFields'] },
    ],
  },
  {
    reason:
      'A custom resource definition is established in the answer to its creation, so that its creator need not wait.',
    places: [
      { scenario: 'crd-create', step: 1, pointers: ['/body/status'] },
      { scenario: 'crd-create', step: 2, pointers: ['/body/metadata/resourceVersion'] },
    ],
  },
  {
    reason: 'Endpoints may have loopback addresses: without root, pods have such.',
    places: [{ scenario: 'endpoints-invalid', step: 2, pointers: ['/status', '/body'] }],
  },
  {
    reason:
      'Impersonating a group without a user gets 400 and a Status instead of 500 and a text: it is the mistake of the client.',
    places: [1, 2].map((step) => ({
      scenario: 'impersonation-may-be-refused',
      step,
      pointers: ['/status', '/headers/content-type', '/body'],
    })),
  },
];
