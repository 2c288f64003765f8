/** Kinds defined as loosely as upstream's charts define theirs, for scenarios that only need them to be there. */
import { awaiting, post, setup } from './steps.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition as upstream's charts have them: no schema to speak of. */
function looseDefinition(group: string, plural: string, kind: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: {},
        },
      ],
    },
  };
}

/** Steps that define a kind so and wait until it is served. */
export function served(group: string, plural: string, kind: string) {
  return [
    setup(post(CRDS, looseDefinition(group, plural, kind))),
    setup(
      awaiting(`${CRDS}/${plural}.${group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
      }),
    ),
    setup(awaiting(`/apis/${group}/v1alpha1/namespaces/{ns}/${plural}`)),
  ];
}
