/** `apply`, `diff` and `replace`: client and server side, conflicts, dry runs. */
import { setup, type Theme } from '../harness/conversation.ts';

const green = (flags: string): string => `sed s/red/green/ cm.yaml | kubectl apply ${flags} -f -`;

export const APPLYING: Theme = {
  theme: 'applying',
  conversations: [
    {
      name: 'apply',
      steps: [
        'kubectl apply -f cm.yaml',
        'kubectl apply -f cm.yaml',
        green(''),
        'kubectl get cm settings -o yaml',
      ],
    },
    {
      name: 'apply-several',
      steps: [
        'kubectl apply -f all.yaml',
        'kubectl apply -f all.yaml -f cm.yaml',
        'kubectl apply -f all.yaml -l part=one',
      ],
    },
    {
      name: 'apply-removes-fields',
      steps: [
        'kubectl apply -f cm.yaml',
        'sed \'s/, size: "10"//\' cm.yaml | kubectl apply -f -',
        'kubectl get cm settings -o jsonpath={.data}',
      ],
    },
    {
      name: 'apply-over-create',
      steps: [setup('kubectl create -f cm.yaml'), 'kubectl apply -f cm.yaml', 'kubectl apply -f cm.yaml'],
    },
    {
      name: 'apply-deploy',
      steps: [
        'kubectl apply -f web.yaml',
        "sed 's/web:1/web:2/' web.yaml | kubectl apply -f -",
        "sed 's/replicas: 2/replicas: 2\\n  paused: true/' web.yaml | kubectl apply -f - -o jsonpath='{.spec.paused} {.metadata.generation}'",
      ],
    },
    {
      name: 'apply-set-last-applied',
      steps: [
        setup('kubectl create -f cm.yaml'),
        'kubectl apply set-last-applied -f cm.yaml',
        'kubectl apply set-last-applied -f cm.yaml --create-annotation',
        'kubectl apply view-last-applied -f cm.yaml -o json',
        'kubectl apply edit-last-applied cm/settings',
      ],
    },
    {
      name: 'apply-prune',
      steps: [
        'kubectl apply -f all.yaml',
        "kubectl apply -f cm.yaml --prune -l 'part=two' --prune-allowlist=core/v1/ConfigMap",
        'kubectl get cm -o name',
      ],
    },
    {
      name: 'apply-kustomize',
      steps: [
        'kubectl apply -k .',
        'kubectl get cm -l from=kustomize -o name',
        'kubectl kustomize . | head -5',
        'kubectl delete -k .',
      ],
    },
    {
      name: 'apply-dry-run',
      steps: [
        'kubectl apply -f cm.yaml --dry-run=client',
        'kubectl apply -f cm.yaml --dry-run=server',
        'kubectl apply -f cm.yaml',
        green('--dry-run=server'),
        green('--dry-run=server -o jsonpath={.data.colour}'),
        'kubectl get cm settings -o jsonpath={.data.colour}',
      ],
    },
    {
      name: 'apply-immutable',
      steps: [
        'kubectl apply -f web.yaml',
        "sed 's/matchLabels: { app: web }/matchLabels: { app: other }/; s/labels: { app: web }/labels: { app: other }/' web.yaml | kubectl apply -f -",
        "sed 's/app: web } }$/app: web, x: y } }/' web.yaml | kubectl apply -f -",
      ],
    },
    {
      name: 'apply-immutable-configmap',
      steps: [
        setup(
          'kubectl apply -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\nimmutable: true\ndata: { colour: red }\nE',
        ),
        'kubectl patch cm settings -p \'{"data":{"colour":"blue"}}\'',
        'kubectl patch cm settings -p \'{"immutable":false}\'',
      ],
    },
    {
      name: 'apply-job-template',
      steps: [
        'kubectl apply -f job.yaml',
        "sed 's/sums:1/sums:2/' job.yaml | kubectl apply -f - 2>&1 | cut -c1-120",
        "sed 's/completions: 2/completions: 3/' job.yaml | kubectl apply -f -",
      ],
    },
    {
      name: 'apply-statefulset-fields',
      steps: [
        'kubectl apply -f statefulset.yaml',
        "sed 's/serviceName: db/serviceName: other/' statefulset.yaml | kubectl apply -f -",
      ],
    },
    {
      name: 'apply-service-address',
      steps: [
        'kubectl apply -f service.yaml',
        'kubectl patch svc web -p \'{"spec":{"clusterIP":"10.96.0.77"}}\'',
        'kubectl patch svc web -p \'{"spec":{"type":"ExternalName","externalName":"x.example.com"}}\'',
        'kubectl get svc web -o jsonpath={.spec}',
      ],
    },
    {
      name: 'apply-wrong-type',
      steps: [
        'sed \'s/size: "10"/size: 10/\' cm.yaml | kubectl apply -f -',
        "sed 's/replicas: 2/replicas: two/' web.yaml | kubectl apply -f -",
        'sed \'s/containerPort: 8080/containerPort: "8080"/\' web.yaml | kubectl apply -f -',
      ],
    },
    {
      name: 'ssa',
      steps: [
        'kubectl apply --server-side -f cm.yaml',
        'kubectl apply --server-side -f cm.yaml',
        green('--server-side'),
        'kubectl get cm settings -o yaml --show-managed-fields',
      ],
    },
    {
      name: 'ssa-conflict',
      steps: [
        setup('kubectl apply --server-side --field-manager=one -f cm.yaml'),
        green('--server-side --field-manager=two'),
        green('--server-side --field-manager=two --force-conflicts'),
        'kubectl get cm settings -o yaml --show-managed-fields',
        'kubectl apply --server-side --field-manager=one -f cm.yaml',
      ],
    },
    {
      name: 'ssa-conflict-with-update',
      steps: [
        setup('kubectl apply --server-side --field-manager=one -f cm.yaml'),
        setup(
          'kubectl patch cm settings --field-manager=editor -p \'{"data":{"colour":"blue","size":"11"}}\'',
        ),
        'kubectl apply --server-side --field-manager=one -f cm.yaml',
      ],
    },
    {
      name: 'ssa-shared-fields',
      steps: [
        setup('kubectl apply --server-side --field-manager=one -f cm.yaml'),
        'kubectl apply --server-side --field-manager=two -f cm.yaml',
        "sed 's/colour: red, //' cm.yaml | kubectl apply --server-side --field-manager=one -f -",
        'kubectl get cm settings -o jsonpath={.data}',
        "sed 's/colour: red, //' cm.yaml | kubectl apply --server-side --field-manager=two -f -",
        'kubectl get cm settings -o jsonpath={.data}',
      ],
    },
    {
      name: 'ssa-migration',
      steps: [
        setup('kubectl apply -f cm.yaml'),
        'kubectl apply --server-side -f cm.yaml',
        'kubectl get cm settings -o yaml --show-managed-fields',
        'kubectl apply -f cm.yaml',
      ],
    },
    {
      name: 'ssa-lists',
      steps: [
        'kubectl apply --server-side -f web.yaml',
        'kubectl apply --server-side --field-manager=side -f - <<E\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { template: { spec: { containers: [{ name: side, image: example.com/side:1 }] } } }\nE',
        "kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[*].name}'",
        'kubectl get deploy web -o yaml --show-managed-fields | sed -n /managedFields/,/name:/p',
      ],
    },
    {
      name: 'ssa-errors',
      steps: [
        'kubectl apply --server-side -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\ndata: { a: 1 }\nE',
        'kubectl apply --server-side -f - <<E\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\nspec: { replicas: many }\nE',
        'kubectl apply --server-side -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\nnothing: 1\nE',
        'kubectl apply --server-side -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: x }\nE',
      ],
    },
    {
      name: 'ssa-dry-run',
      steps: [
        'kubectl apply --server-side --dry-run=server -f cm.yaml',
        'kubectl get cm settings',
        'kubectl apply --server-side --dry-run=client -f cm.yaml',
      ],
    },
    {
      name: 'ssa-create-over-scale',
      steps: [
        setup('kubectl apply --server-side -f web.yaml'),
        setup('kubectl scale deploy web --replicas=5'),
        'kubectl apply --server-side -f web.yaml',
        "sed '/replicas/d' web.yaml | kubectl apply --server-side -f -",
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
      ],
    },
    {
      name: 'diff',
      steps: [
        'kubectl diff -f cm.yaml | tail -n +3',
        setup('kubectl apply -f cm.yaml'),
        'kubectl diff -f cm.yaml',
        'sed s/red/green/ cm.yaml | kubectl diff -f - | tail -n +3',
        'sed s/red/green/ cm.yaml | kubectl diff --server-side -f - | tail -n +3',
      ],
    },
    {
      name: 'diff-deploy',
      steps: [
        setup('kubectl apply -f web.yaml'),
        "sed 's/web:1/web:2/' web.yaml | kubectl diff -f - | tail -n +3",
      ],
    },
    {
      name: 'replace',
      steps: [
        'kubectl replace -f cm.yaml',
        setup('kubectl create -f cm.yaml'),
        'kubectl replace -f cm.yaml',
        'sed s/red/green/ cm.yaml | kubectl replace -f -',
        'kubectl get cm settings -o jsonpath={.data.colour}',
      ],
    },
    {
      name: 'replace-force',
      steps: [
        setup('kubectl create -f pod.yaml'),
        "sed 's/p:1/p:2/' pod.yaml | kubectl replace --force -f -",
        'kubectl get pod p -o jsonpath={.spec.containers[0].image}',
        'kubectl replace --force -f cm.yaml',
        'kubectl replace -f cm.yaml --dry-run=server',
      ],
    },
    {
      name: 'replace-conflict',
      steps: [
        setup('kubectl create -f cm.yaml'),
        setup('kubectl get cm settings -o yaml > old.yaml'),
        setup('kubectl label cm settings a=b'),
        'kubectl replace -f old.yaml',
        'kubectl apply -f old.yaml 2>&1 | cut -c1-200',
      ],
    },
    {
      name: 'replace-subresource',
      steps: [
        setup('kubectl apply -f web.yaml'),
        'kubectl get deploy web --subresource=scale -o json | sed \'s/"replicas": 2/"replicas": 3/\' | kubectl replace --subresource=scale -f -',
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
      ],
    },
    {
      name: 'replace-pod',
      steps: [
        setup('kubectl create -f pod.yaml'),
        "kubectl get pod p -o yaml | sed 's/100m/200m/' | kubectl replace -f - 2>&1 | head -3",
        "kubectl get pod p -o yaml | sed 's/p:1/p:2/' | kubectl replace -f -",
      ],
    },
    {
      name: 'apply-secret-types',
      steps: [
        'kubectl apply -f - <<E\napiVersion: v1\nkind: Secret\nmetadata: { name: a }\ntype: kubernetes.io/tls\ndata: { x: eA== }\nE',
        'kubectl apply -f - <<E\napiVersion: v1\nkind: Secret\nmetadata: { name: a }\ntype: kubernetes.io/basic-auth\nE',
        "kubectl apply -f - <<E\napiVersion: v1\nkind: Secret\nmetadata: { name: a }\ndata: { x: '?' }\nE",
      ],
    },
  ],
};
