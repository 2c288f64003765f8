/** What admission does: quotas, limit ranges, Pod Security, policies, disruption budgets. */
import { setup, type Theme, until } from '../harness/conversation.ts';

const policies = [
  'kubectl delete validatingadmissionpolicy $NS-owner',
  'kubectl delete validatingadmissionpolicybinding $NS-owner',
];
const mutating = [
  'kubectl delete mutatingadmissionpolicy $NS-mark',
  'kubectl delete mutatingadmissionpolicybinding $NS-mark',
];
const podOf = (spec: string, name = 'p'): string =>
  `kubectl create -f - <<E\napiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: ${spec}\nE`;

export const ADMITTING: Theme = {
  theme: 'admitting',
  conversations: [
    {
      name: 'quota',
      steps: [
        setup('kubectl apply -f quota.yaml'),
        setup('kubectl wait quota/few --for=jsonpath={.status.used.configmaps}=1'),
        'kubectl create cm a',
        'kubectl create cm b',
        'kubectl create cm c',
        podOf('{ schedulerName: nobody, containers: [{ name: c, image: i }] }'),
        podOf(
          '{ schedulerName: nobody, containers: [{ name: c, image: i, resources: { requests: { cpu: 600m } } }] }',
        ),
        podOf(
          '{ schedulerName: nobody, containers: [{ name: c, image: i, resources: { requests: { cpu: 400m } } }] }',
        ),
        "kubectl get quota few -o jsonpath='{.status.used}'",
      ],
    },
    {
      name: 'quota-of-controllers',
      steps: [
        setup('kubectl create quota none --hard=pods=0'),
        setup('kubectl wait quota/none --for=jsonpath={.status.used.pods}=0'),
        setup('kubectl apply -f web.yaml'),
        until("kubectl get deploy web -o jsonpath='{.status.conditions[*].type}'", /ReplicaFailure/),
        'kubectl get deploy web -o jsonpath=\'{range .status.conditions[?(@.type=="ReplicaFailure")]}{.reason}: {.message}{end}\' | sed \'s/"web-[a-z0-9-]*"/"web-x"/\'',
      ],
    },
    {
      name: 'quota-count',
      steps: [
        setup('kubectl create quota q --hard=count/secrets=1,services=1,services.nodeports=0'),
        setup('kubectl wait quota/q --for=jsonpath={.status.used.services}=0'),
        'kubectl create secret generic a',
        'kubectl create secret generic b',
        'kubectl create service nodeport s --tcp=80',
        'kubectl create service clusterip s --tcp=80',
        'kubectl describe quota q',
      ],
    },
    {
      name: 'limit-range',
      steps: [
        setup('kubectl apply -f limits.yaml'),
        podOf('{ schedulerName: nobody, containers: [{ name: c, image: i }] }'),
        'kubectl get pod p -o jsonpath={.spec.containers[0].resources}',
        "kubectl get pod p -o jsonpath='{.metadata.annotations}'",
        podOf(
          '{ containers: [{ name: c, image: i, resources: { limits: { cpu: 2, memory: 1Gi }, requests: { cpu: 10m } } }] }',
          'q',
        ),
      ],
    },
    {
      name: 'limit-range-of-claims',
      steps: [
        setup(
          'kubectl create -f - <<E\napiVersion: v1\nkind: LimitRange\nmetadata: { name: l }\nspec: { limits: [{ type: PersistentVolumeClaim, max: { storage: 1Gi } }] }\nE',
        ),
        'kubectl create -f - <<E\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: c }\nspec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 2Gi } } }\nE',
      ],
    },
    {
      name: 'pod-security-baseline',
      steps: [
        setup('kubectl label ns $NS pod-security.kubernetes.io/enforce=baseline'),
        until(podOf('{ hostPID: true, containers: [{ name: c, image: i }] }'), /violates/),
        podOf(
          '{ hostNetwork: true, hostPID: true, volumes: [{ name: v, hostPath: { path: /x } }], containers: [{ name: c, image: i, securityContext: { privileged: true, capabilities: { add: [SYS_ADMIN] } }, ports: [{ hostPort: 80, containerPort: 80 }] }] }',
        ),
        podOf('{ schedulerName: nobody, containers: [{ name: c, image: i }] }'),
      ],
    },
    {
      name: 'pod-security-restricted',
      steps: [
        setup('kubectl label ns $NS pod-security.kubernetes.io/enforce=restricted'),
        until(podOf('{ hostPID: true, containers: [{ name: c, image: i }] }'), /violates/),
        podOf('{ containers: [{ name: c, image: i }] }'),
        podOf(
          '{ schedulerName: nobody, securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }, containers: [{ name: c, image: i, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } } }] }',
        ),
        'kubectl apply -f web.yaml',
      ],
    },
    {
      name: 'pod-security-warn',
      steps: [
        setup('kubectl label ns $NS pod-security.kubernetes.io/warn=restricted'),
        until(podOf('{ schedulerName: nobody, containers: [{ name: c, image: i }] } #'), /would violate/),
        'kubectl apply -f web.yaml',
        'kubectl create deployment d --image=i --replicas=0',
        'kubectl apply -f job.yaml',
      ],
    },
    {
      name: 'pod-security-labels',
      steps: [
        setup('kubectl create -f pod.yaml'),
        'kubectl label ns $NS pod-security.kubernetes.io/enforce=strict',
        'kubectl label ns $NS pod-security.kubernetes.io/enforce-version=v1',
        'kubectl label ns $NS pod-security.kubernetes.io/enforce=restricted --dry-run=server',
        'kubectl label ns $NS pod-security.kubernetes.io/enforce=restricted',
      ],
    },
    {
      name: 'validating-policy',
      steps: [
        setup('kubectl apply -f policy.yaml'),
        until('kubectl create cm probe --dry-run=server', /owner is needed/),
        'kubectl create cm a',
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, labels: { owner: me } }\nE',
        'kubectl label cm a owner-',
        'kubectl get validatingadmissionpolicy $NS-owner',
        'kubectl get validatingadmissionpolicybinding $NS-owner',
      ],
      after: policies,
    },
    {
      name: 'validating-policy-warn',
      steps: [
        setup("sed 's/\\[Deny\\]/[Warn, Audit]/' policy.yaml | kubectl apply -f -"),
        until('kubectl create cm probe --dry-run=server', /Validation failed/),
        'kubectl create cm a',
        'kubectl get cm a -o name',
      ],
      after: policies,
    },
    {
      name: 'validating-policy-yaml',
      steps: [
        'kubectl apply -f policy.yaml',
        'kubectl get validatingadmissionpolicy $NS-owner -o jsonpath={.spec}',
        'kubectl get validatingadmissionpolicybinding $NS-owner -o yaml',
      ],
      after: policies,
    },
    {
      name: 'validating-policy-wrong',
      steps: [
        "sed 's/has(object.metadata.labels)/has(/' policy.yaml | kubectl apply -f -",
        "sed 's/failurePolicy: Fail/failurePolicy: Foo/; s/\\[Deny\\]/[Deny, Warn]/' policy.yaml | kubectl apply -f -",
        "sed 's/validations:/audits:/' policy.yaml | kubectl apply -f -",
        'kubectl create -f - <<E\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: { name: $NS-owner }\nspec: {}\nE',
      ],
      after: policies,
    },
    {
      name: 'mutating-policy',
      steps: [
        setup('kubectl apply -f mutating-policy.yaml'),
        until('kubectl create cm probe --from-literal=x=y --dry-run=server -o yaml', /marked/),
        'kubectl create cm a --from-literal=x=y',
        'kubectl get cm a -o yaml',
        'kubectl get mutatingadmissionpolicy $NS-mark',
        'kubectl get mutatingadmissionpolicybinding $NS-mark',
        'kubectl get mutatingadmissionpolicy $NS-mark -o jsonpath={.spec}',
      ],
      after: mutating,
    },
    {
      name: 'mutating-policy-wrong',
      steps: [
        "sed 's/Object{metadata/Object{nothing/' mutating-policy.yaml | kubectl apply -f - 2>&1 | head -2",
        "sed 's/reinvocationPolicy: Never/reinvocationPolicy: Foo/' mutating-policy.yaml | kubectl apply -f -",
        'sed \'s/JSONPatch{op: "add"/JSONPatch{op: (/\' mutating-policy.yaml | kubectl apply -f - 2>&1 | head -2',
      ],
      after: mutating,
    },
    {
      name: 'mutating-policy-deploys',
      steps: [
        setup(
          "sed -e 's/apiGroups: \\[\"\"\\]/apiGroups: [apps]/' -e 's/configmaps/deployments/' -e 's|Object{metadata.*}}}|Object{spec: Object.spec{replicas: object.spec.replicas + 1}}|' -e '/patchType: JSONPatch/,/jsonPatch/d' mutating-policy.yaml | kubectl apply -f -",
        ),
        until('kubectl apply -f web.yaml --dry-run=server -o jsonpath={.spec.replicas}', /3/),
        'kubectl apply -f web.yaml',
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
      ],
      after: mutating,
    },
    {
      name: 'policy-with-parameters',
      steps: [
        setup(
          "kubectl create -f - <<E\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: { name: $NS-owner }\nspec:\n  paramKind: { apiVersion: v1, kind: ConfigMap }\n  matchConstraints: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: $NS } }, resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, deployments/scale] }] }\n  variables: [{ name: max, expression: 'int(params.data.max)' }]\n  validations: [{ expression: 'object.spec.replicas <= variables.max', messageExpression: \"'at most ' + string(variables.max) + ' replicas'\", reason: Invalid }]\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: { name: $NS-owner }\nspec: { policyName: $NS-owner, validationActions: [Deny], paramRef: { name: max, parameterNotFoundAction: Deny } }\nE",
        ),
        until('kubectl apply -f web.yaml --dry-run=server', /denied request/),
        'kubectl apply -f web.yaml',
        setup('kubectl create cm max --from-literal=max=2'),
        until('kubectl apply -f web.yaml', /created|configured|unchanged/),
        'kubectl scale deploy web --replicas=3',
        "sed 's/replicas: 2/replicas: 3/' web.yaml | kubectl apply -f -",
      ],
      after: policies,
    },
    {
      name: 'evict',
      steps: [
        setup('kubectl apply -f live.yaml -f pdb.yaml'),
        setup(
          'kubectl patch pdb web --type=merge -p \'{"spec":{"selector":{"matchLabels":{"app":"live"}}}}\' || kubectl delete pdb web',
        ),
        setup('kubectl rollout status deploy/live'),
        'kubectl get pdb -o name',
        'kubectl create --raw /api/v1/namespaces/$NS/pods/nobody/eviction -f - <<E\n{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"nobody"}}\nE',
      ],
    },
    {
      name: 'evict-refused',
      steps: [
        setup("sed 's/app: web/app: live/' pdb.yaml | kubectl apply -f -"),
        setup('kubectl apply -f live.yaml'),
        setup('kubectl rollout status deploy/live'),
        setup('kubectl wait pdb/web --for=jsonpath={.status.currentHealthy}=1'),
        'P=$(kubectl get pods -l app=live -o jsonpath={.items[0].metadata.name}); echo \'{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"\'$P\'"}}\' | kubectl create --raw /api/v1/namespaces/$NS/pods/$P/eviction -f -',
        'kubectl get pdb',
      ],
    },
    {
      name: 'webhook-configurations',
      steps: [
        "kubectl create -f - <<E\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: $NS-w }\nwebhooks: [{ name: w.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: { service: { name: none, namespace: $NS } }, namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: $NS } }, rules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps] }] }]\nE",
        'kubectl get validatingwebhookconfiguration $NS-w',
        until('kubectl create cm a --dry-run=server', /failed calling webhook/),
        'kubectl create cm a',
        "kubectl get validatingwebhookconfiguration $NS-w -o jsonpath='{.webhooks[0].timeoutSeconds} {.webhooks[0].failurePolicy} {.webhooks[0].matchPolicy}'",
      ],
      after: ['kubectl delete validatingwebhookconfiguration $NS-w'],
    },
    {
      name: 'webhook-wrong',
      steps: [
        "kubectl create -f - <<E\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: $NS-w }\nwebhooks: [{ name: w, sideEffects: Some, admissionReviewVersions: [v9], clientConfig: { url: 'http://x' }, timeoutSeconds: 90, matchConditions: [{ name: a, expression: '1 +' }], rules: [{ operations: [READ] }] }]\nE",
      ],
    },
  ],
};
