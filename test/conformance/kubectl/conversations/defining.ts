/** Custom resources: definitions, their validation, versions, status and scale. */
import { type Conversation, type Step, setup, type Theme, until } from '../harness/conversation.ts';

const CRD = 'crd/gizmos.$NS.example.com';
const GZ = 'gizmos.$NS.example.com';

/** With the kind of `gizmos.yaml`, served. The order of what is wrong with a custom resource is chance on a real server. */
function withGizmos(name: string, ...steps: readonly Step[]): Conversation {
  const ready = [
    setup('kubectl apply -f gizmos.yaml'),
    until(`kubectl wait ${CRD} --for=condition=Established`, /condition met/),
    until(`kubectl get ${GZ}`, /No resources found/),
  ];
  return {
    name,
    sorted: name === 'gizmo-invalid',
    steps: [...ready, ...steps],
    after: [`kubectl delete ${CRD} --timeout=20s`],
  };
}
const gizmo = (spec: string, name = 'g1'): string =>
  `kubectl create -f - <<E\napiVersion: $NS.example.com/v1\nkind: Gizmo\nmetadata: { name: ${name} }\nspec: ${spec}\nE`;
const made = setup('kubectl apply -f gizmo.yaml');
const broken = (change: string): string =>
  `sed '${change}' gizmos.yaml | kubectl create --dry-run=server -f -`;

export const DEFINING: Theme = {
  theme: 'defining',
  conversations: [
    withGizmos(
      'gizmo-get',
      made,
      `kubectl get ${GZ}`,
      `kubectl get ${GZ} -o wide`,
      `kubectl get ${GZ} g1 -o yaml`,
      `kubectl get ${GZ} -o name`,
    ),
    withGizmos('gizmo-describe', made, `kubectl describe ${GZ} g1`),
    withGizmos(
      'gizmo-crd',
      `kubectl get ${CRD}`,
      `kubectl get ${CRD} -o jsonpath='{.status.acceptedNames}'`,
      `kubectl get ${CRD} -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\\n"}{end}'`,
      `kubectl get ${CRD} -o jsonpath='{.status.storedVersions} {.spec.conversion}'`,
    ),
    withGizmos('gizmo-defaults', made, `kubectl get ${GZ} g1 -o jsonpath={.spec}`),
    withGizmos(
      'gizmo-invalid',
      gizmo('{ size: 0, colour: blue, tags: [A, b, b], when: soon }'),
      gizmo('{}'),
      gizmo('{ size: x }'),
      gizmo('{ size: 1 }', 'x'),
    ),
    withGizmos(
      'gizmo-missing-spec',
      'kubectl create -f - <<E\napiVersion: $NS.example.com/v1\nkind: Gizmo\nmetadata: { name: g2 }\nspec:\nE',
      gizmo('{ size: 1, replicas: null }'),
    ),
    withGizmos(
      'gizmo-rules',
      gizmo('{ size: 200 }'),
      gizmo('{ size: 2, limit: 1, colour: red }'),
      made,
      `kubectl patch ${GZ} g1 --type=merge -p '{"spec":{"colour":"green"}}'`,
      `kubectl patch ${GZ} g1 --type=merge -p '{"spec":{"colour":"green","size":101}}'`,
    ),
    withGizmos(
      'gizmo-unknown-fields',
      gizmo('{ size: 1, nothing: 2 }'),
      `${gizmo('{ size: 1, nothing: 2 }')}`.replace('create', 'create --validate=warn'),
      `kubectl get ${GZ} g1 -o jsonpath={.spec}`,
    ),
    withGizmos(
      'gizmo-patch',
      made,
      `kubectl patch ${GZ} g1 -p '{"spec":{"size":4}}'`,
      `kubectl patch ${GZ} g1 --type=merge -p '{"spec":{"size":4}}'`,
      `kubectl patch ${GZ} g1 --type=json -p '[{"op":"add","path":"/spec/tags","value":["a"]}]'`,
      `kubectl get ${GZ} g1 -o jsonpath='{.spec.size} {.spec.tags} {.metadata.generation}'`,
    ),
    withGizmos(
      'gizmo-status',
      made,
      `kubectl patch ${GZ} g1 --subresource=status --type=merge -p '{"status":{"phase":"Good"},"spec":{"size":9}}'`,
      `kubectl get ${GZ} g1 -o jsonpath='{.status.phase} {.spec.size} {.metadata.generation}'`,
      `kubectl patch ${GZ} g1 --type=merge -p '{"status":{"phase":"Bad"}}'`,
      `kubectl get ${GZ} g1 -o jsonpath='{.status.phase}'`,
    ),
    withGizmos(
      'gizmo-scale',
      made,
      `kubectl scale ${GZ} g1 --replicas=4`,
      `kubectl get ${GZ} g1 -o jsonpath={.spec.replicas}`,
      `kubectl get ${GZ} g1 --subresource=scale -o yaml`,
      `kubectl scale ${GZ} g1 --replicas=-1`,
      `kubectl get ${GZ} g1 --subresource=scale`,
    ),
    withGizmos(
      'gizmo-ssa',
      'kubectl apply --server-side --field-manager=one -f gizmo.yaml',
      "sed 's/size: 3/size: 4/' gizmo.yaml | kubectl apply --server-side --field-manager=two -f -",
      `kubectl get ${GZ} g1 -o yaml --show-managed-fields`,
    ),
    withGizmos(
      'gizmo-selectors',
      made,
      `kubectl get ${GZ} -l kind=toy -o name`,
      `kubectl get ${GZ} --field-selector metadata.name=g1 -o name`,
      `kubectl get ${GZ} --field-selector spec.size=3`,
    ),
    withGizmos(
      'gizmo-apply',
      'kubectl apply -f gizmo.yaml',
      'kubectl apply -f gizmo.yaml',
      "sed 's/size: 3/size: 5/' gizmo.yaml | kubectl apply -f -",
      `kubectl label ${GZ} g1 a=b`,
      `kubectl delete ${GZ} g1`,
    ),
    withGizmos(
      'gizmo-kind-unknown-version',
      "sed 's/v1$/v2/' gizmo.yaml | kubectl create -f -",
      'kubectl get gizmos.v2.$NS.example.com',
      'kubectl get --raw /apis/$NS.example.com/v2',
    ),
    withGizmos(
      'gizmo-crd-deleted',
      made,
      `kubectl delete ${CRD}`,
      until(`kubectl get ${GZ}`, /doesn't have a resource type/),
      `kubectl get ${GZ}`,
    ),
    {
      name: 'crd-wrong',
      steps: [
        broken('s/plural: gizmos/plural: other/'),
        broken('s/kind: Gizmo,/kind: gizmo x,/'),
        broken('s/storage: true/storage: false/'),
        broken('s/scope: Namespaced/scope: Somewhere/'),
      ],
    },
    {
      name: 'crd-schema-wrong',
      steps: [
        broken('s/type: object$/type: thing/'),
        broken('s/type: string, enum: \\[red, green\\]/enum: [red]/'),
        broken('s/rule: "self.size <= self.limit"/rule: "self.nothing > 1"/'),
        broken('s/default: 100/default: many/'),
      ],
    },
    {
      name: 'crd-without-schema',
      steps: [
        'kubectl create -f - <<E\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: gizmos.$NS.example.com }\nspec: { group: $NS.example.com, scope: Cluster, names: { plural: gizmos, kind: Gizmo }, versions: [{ name: v1, served: true, storage: true }] }\nE',
      ],
    },
    {
      name: 'crd-versions',
      steps: [
        setup(`kubectl create -f - <<E
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${GZ} }
spec:
  group: $NS.example.com
  scope: Namespaced
  names: { plural: gizmos, singular: gizmo, kind: Gizmo }
  versions:
    - name: v1
      served: true
      storage: true
      selectableFields: [{ jsonPath: .spec.size }]
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
    - name: v1beta1
      served: true
      storage: false
      deprecated: true
      deprecationWarning: use v1
      schema: { openAPIV3Schema: { type: object, description: The first draft., properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
E`),
        until(`kubectl wait ${CRD} --for=condition=Established`, /condition met/),
        until(`kubectl get ${GZ}`, /No resources/),
        'kubectl create -f - <<E\napiVersion: $NS.example.com/v1beta1\nkind: Gizmo\nmetadata: { name: g }\nspec: { size: 3 }\nE',
        'kubectl get gizmos.v1.$NS.example.com g -o jsonpath={.apiVersion}',
        'kubectl get gizmos.v1beta1.$NS.example.com g -o yaml',
        'kubectl get gizmos.v1.$NS.example.com --field-selector spec.size=3 -o name',
        'kubectl get gizmos.v1.$NS.example.com --field-selector spec.size=4',
      ],
      after: [`kubectl delete ${CRD} --timeout=20s`],
    },
    {
      name: 'crd-conversion-webhook',
      steps: [
        "sed 's/scope: Namespaced/scope: Namespaced\\n  conversion: { strategy: Webhook }/' gizmos.yaml | kubectl create -f -",
        "sed 's/scope: Namespaced/scope: Namespaced\\n  conversion: { strategy: Webhook, webhook: { conversionReviewVersions: [v1], clientConfig: { service: { namespace: x, name: y } } } }/' gizmos.yaml | kubectl create -f - --dry-run=server",
      ],
    },
  ],
};
