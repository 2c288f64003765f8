/** Where the embedded cluster answers kubectl otherwise than a real one, with the reason. Anything else that differs is a fault. */

export interface KnownDifference {
  /** What is different, and why. */
  readonly reason: string;
  /** Only with this minor version of kubectl. @default with all */
  readonly kubectl?: string;
  /** Numbers of the answers that differ, from 1, by conversation. `unheld`: it does not get as far as its first answer. */
  readonly answers: Readonly<Record<string, readonly number[] | 'unheld'>>;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    reason: 'Aggregated APIs cannot be registered.',
    answers: { 'api-resources-admission': [3] },
  },
  {
    reason: 'The version says that the server is an embedded one.',
    answers: { version: [1, 2] },
  },
  {
    reason: 'Tokens are signed with an elliptic curve, whose keys are made at once; a real server has RSA.',
    answers: { openid: [1, 2] },
  },
  {
    reason: 'Claims are bound without a class and a volume.',
    answers: { 'get-storage': [3] },
  },
  {
    reason: 'Go prints maps and structures in an order and with fields of its own.',
    answers: {
      jsonpath: [5],
      'apply-job-template': [2],
      'patch-merge': [3],
      'statefulset-wrong': [1],
      'crd-wrong': [3],
    },
  },
  {
    reason:
      "The time of an owner's last write is written with each, also where kubectl moves fields between its owners.",
    answers: { 'ssa-migration': [2] },
  },
  {
    reason: "Of a refused change of a pod no difference of the server's internal structures is printed.",
    answers: { 'replace-pod': [1], 'patch-pod-resources': [1], 'patch-pod': [2, 3] },
  },
  {
    reason:
      'Mistakes in CEL expressions are told in the words of another compiler, and expressions are not checked against the types of objects.',
    answers: {
      'validating-policy-wrong': [1],
      'mutating-policy-wrong': [3],
      'webhook-wrong': [1],
      'crd-schema-wrong': [1, 2, 3, 4],
    },
  },
  {
    reason:
      'There are no roles for the controllers of kube-controller-manager and for kubelets: nothing runs under their accounts.',
    answers: { 'default-roles': [3] },
  },
  {
    reason: 'Impersonation is refused by the older of its two rules.',
    answers: { impersonation: [4] },
  },
  {
    reason: 'What cannot be run is said in the words of the process runtime, and not in those of runc.',
    answers: { exec: [4] },
  },
  {
    reason: 'A copy of a file that is not there: a newer kubectl leaves out what tar says on a real cluster.',
    kubectl: '1.36',
    answers: { cp: [7] },
  },
  {
    reason: 'Nodes have more room for pods, a region and a zone.',
    answers: { 'node-get': [3, 5] },
  },
];
