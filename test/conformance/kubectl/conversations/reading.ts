/** `get` in all its forms: output, selectors, sorting, chunks, watches. */
import { setup, type Theme } from '../harness/conversation.ts';

const web = [
  setup('kubectl apply -f web.yaml'),
  setup('kubectl wait deploy/web --for=jsonpath={.status.replicas}=2'),
];
const all = [setup('kubectl apply -f all.yaml')];
const pod = [setup('kubectl apply -f pod.yaml')];

export const READING: Theme = {
  theme: 'reading',
  conversations: [
    {
      name: 'get-deploy',
      steps: [
        ...web,
        'kubectl get deploy',
        'kubectl get deploy -o wide',
        'kubectl get deploy web --no-headers',
      ],
    },
    { name: 'get-rs', steps: [...web, 'kubectl get rs', 'kubectl get rs -o wide'] },
    {
      name: 'get-pods',
      steps: [...web, 'kubectl get pods', 'kubectl get pods -o wide', 'kubectl get pods --show-labels'],
    },
    {
      name: 'get-pod',
      steps: [...pod, 'kubectl get pod p', 'kubectl get pod/p -o name', 'kubectl get po p -L app'],
    },
    { name: 'get-pod-yaml', steps: [...pod, 'kubectl get pod p -o yaml'] },
    { name: 'get-pod-json', steps: [...pod, 'kubectl get pod p -o json'] },
    { name: 'get-deploy-yaml', steps: [...web, 'kubectl get deploy web -o yaml'] },
    { name: 'get-rs-yaml', steps: [...web, 'kubectl get rs -o yaml'] },
    {
      name: 'get-managed-fields',
      steps: [
        setup('kubectl apply --server-side -f cm.yaml'),
        'kubectl get cm settings -o yaml --show-managed-fields',
      ],
    },
    {
      name: 'get-service',
      steps: [
        setup('kubectl apply -f service.yaml'),
        'kubectl get svc',
        'kubectl get svc -o wide',
        'kubectl get svc web -o yaml',
      ],
    },
    {
      name: 'get-configmaps',
      steps: [...all, 'kubectl get cm', 'kubectl get cm a -o yaml', 'kubectl get cm -o name'],
    },
    {
      name: 'get-secrets',
      steps: [...all, 'kubectl get secrets', 'kubectl get secret c -o jsonpath={.data.key}'],
    },
    {
      name: 'get-several-kinds',
      steps: [...all, 'kubectl get cm,secrets', 'kubectl get cm/a secret/c', 'kubectl get cm a b'],
    },
    { name: 'get-from-file', steps: [...all, 'kubectl get -f all.yaml', 'kubectl get -f all.yaml -o name'] },
    {
      name: 'get-all',
      steps: [
        ...web,
        setup('kubectl apply -f service.yaml -f job.yaml -f cronjob.yaml'),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        'kubectl get all',
      ],
    },
    {
      name: 'get-nothing',
      steps: ['kubectl get pods', 'kubectl get pods -o name', 'kubectl get pods -o json', 'kubectl get all'],
    },
    {
      name: 'get-missing',
      steps: [
        'kubectl get pod nobody',
        'kubectl get pod nobody --ignore-not-found',
        'kubectl get deploy,svc nobody',
      ],
    },
    {
      name: 'get-unknown-kind',
      steps: ['kubectl get gadgets', 'kubectl get gadgets.example.com', 'kubectl get pods.v2'],
    },
    {
      name: 'get-other-namespace',
      steps: [
        'kubectl get cm -n no-such-namespace',
        'kubectl get cm x -n no-such-namespace',
        'kubectl get sa -n $NS',
      ],
    },
    {
      name: 'get-namespace',
      steps: ['kubectl get ns $NS', 'kubectl get ns $NS -o yaml', 'kubectl get namespace/$NS --show-labels'],
    },
    {
      name: 'get-default-objects',
      steps: [
        'kubectl get sa,cm',
        'kubectl get sa default -o yaml',
        'kubectl get cm kube-root-ca.crt -o jsonpath={.metadata.annotations}',
      ],
    },
    {
      name: 'get-kubernetes-service',
      steps: [
        'kubectl get svc kubernetes -n default',
        'kubectl get svc kubernetes -n default -o jsonpath={.spec.ports[*].name}',
      ],
    },
    {
      name: 'jsonpath',
      steps: [
        ...web,
        "kubectl get deploy web -o jsonpath='{.spec.replicas} {.metadata.labels.app}'",
        'kubectl get deploy -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\t"}{.spec.template.spec.containers[0].image}{"\\n"}{end}\'',
        'kubectl get deploy web -o jsonpath=\'{.spec.template.spec.containers[?(@.name=="web")].ports[0].name}\'',
        'kubectl get deploy web -o jsonpath={.nothing}',
        'kubectl get deploy web -o jsonpath={.nothing} --allow-missing-template-keys=false',
        'kubectl get deploy web -o jsonpath={',
      ],
    },
    {
      name: 'jsonpath-as-json',
      steps: [...web, 'kubectl get deploy web -o jsonpath-as-json={.spec.template.spec.containers[*].env}'],
    },
    {
      name: 'go-template',
      steps: [
        ...web,
        "kubectl get deploy web -o go-template='{{.metadata.name}} {{len .spec.template.spec.containers}}'",
        'kubectl get deploy -o go-template=\'{{range .items}}{{.kind}}{{"\\n"}}{{end}}\'',
        "kubectl get deploy web -o go-template='{{.nothing.at.all}}'",
      ],
    },
    {
      name: 'custom-columns',
      steps: [
        ...web,
        'kubectl get deploy -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[0].image,NONE:.nothing',
        'kubectl get deploy -o custom-columns=NAME',
        'kubectl get deploy -o custom-columns=NAME:.metadata.name --no-headers',
      ],
    },
    { name: 'unknown-output', steps: [...pod, 'kubectl get pods -o xml'] },
    {
      name: 'sort-by',
      steps: [
        ...all,
        'kubectl get cm --sort-by=.metadata.name',
        'kubectl get cm --sort-by={.data.key} -o name',
        'kubectl get cm --sort-by=.nothing',
      ],
    },
    {
      name: 'label-selectors',
      steps: [
        ...all,
        'kubectl get cm -l part=one',
        'kubectl get cm,secret -l part=one -o name',
        "kubectl get cm -l 'part in (one,two)' -o name",
        "kubectl get cm -l 'part notin (one)' -o name",
        "kubectl get cm -l '!part' -o name",
        'kubectl get cm -l part -o name',
        'kubectl get cm -l part!=one -o name',
        'kubectl get cm -l part=three',
      ],
    },
    {
      name: 'label-selectors-wrong',
      steps: [
        "kubectl get cm -l 'part in one'",
        "kubectl get cm -l 'a b'",
        'kubectl get cm -l part=-x',
        "kubectl get cm -l 'part>a'",
      ],
    },
    {
      name: 'field-selectors',
      steps: [
        ...all,
        'kubectl get cm --field-selector metadata.name=a',
        'kubectl get cm --field-selector metadata.name!=a -o name',
        'kubectl get cm --field-selector metadata.namespace=$NS -o name',
      ],
    },
    {
      name: 'field-selectors-of-pods',
      steps: [
        ...pod,
        'kubectl get pods --field-selector status.phase=Pending',
        'kubectl get pods --field-selector status.phase=Running',
        'kubectl get pods --field-selector spec.schedulerName=nobody -o name',
        'kubectl get pods --field-selector spec.restartPolicy=Always,spec.nodeName= -o name',
        'kubectl get pods --field-selector spec.hostNetwork=false -o name',
      ],
    },
    {
      name: 'field-selectors-wrong',
      steps: [
        'kubectl get pods --field-selector spec.nothing=1',
        'kubectl get cm --field-selector data.key=a',
        'kubectl get pods --field-selector a',
        'kubectl get deploy --field-selector spec.replicas=1',
      ],
    },
    {
      name: 'field-selectors-of-others',
      steps: [
        'kubectl get secrets --field-selector type=Opaque',
        'kubectl get jobs --field-selector status.successful=0',
        'kubectl get events --field-selector involvedObject.kind=Pod,type=Warning',
        'kubectl get nodes --field-selector spec.unschedulable=true',
        'kubectl get rs --field-selector status.replicas=2',
        'kubectl get ns --field-selector status.phase=Terminating,metadata.name=$NS',
        'kubectl get svc --field-selector spec.type=LoadBalancer',
      ],
    },
    {
      name: 'chunks',
      steps: [
        ...all,
        'kubectl get cm --chunk-size=1 -o name',
        "kubectl get --raw '/api/v1/namespaces/'$NS'/configmaps?limit=1' | sed 's/.*remainingItemCount\":\\([0-9]*\\).*/\\1/'",
      ],
    },
    {
      name: 'watch-only',
      steps: [
        ...all,
        'kubectl get cm a --watch --request-timeout=1s',
        'kubectl get cm -w -o name --request-timeout=1s',
        'kubectl get cm a --watch-only --request-timeout=1s',
      ],
    },
    {
      name: 'watch-events',
      steps: [
        ...all,
        '(kubectl get cm a --output-watch-events --watch -o name --request-timeout=5s > seen & sleep 1; kubectl label cm a new=yes >/dev/null; kubectl delete cm a >/dev/null; wait; cat seen)',
      ],
    },
    {
      name: 'get-subresource',
      steps: [
        ...web,
        'kubectl get deploy web --subresource=scale',
        'kubectl get deploy web --subresource=status -o jsonpath={.status.replicas}',
        'kubectl get cm kube-root-ca.crt --subresource=scale',
        'kubectl get deploy web --subresource=nothing',
      ],
    },
    {
      name: 'get-raw',
      steps: [
        ...all,
        'kubectl get --raw /api/v1/namespaces/$NS/configmaps/nobody',
        'kubectl get --raw /nothing',
        'kubectl get --raw /healthz',
        'kubectl get --raw /livez',
        'kubectl get --raw /readyz',
      ],
    },
    {
      name: 'get-jobs',
      steps: [
        setup('kubectl apply -f job.yaml -f cronjob.yaml'),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        'kubectl get jobs',
        'kubectl get jobs -o wide',
        'kubectl get cronjobs',
        'kubectl get cj -o wide',
      ],
    },
    {
      name: 'get-job-yaml',
      steps: [
        setup('kubectl apply -f job.yaml'),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        'kubectl get job sums -o yaml',
        'kubectl get pods -o yaml',
      ],
    },
    {
      name: 'get-cronjob-yaml',
      steps: [setup('kubectl apply -f cronjob.yaml'), 'kubectl get cronjob nightly -o yaml'],
    },
    {
      name: 'get-statefulset',
      steps: [
        setup('kubectl apply -f statefulset.yaml'),
        setup('kubectl wait sts/db --for=jsonpath={.status.replicas}=1'),
        'kubectl get sts',
        'kubectl get sts -o wide',
        'kubectl get sts db -o yaml',
        'kubectl get controllerrevisions',
      ],
    },
    {
      name: 'get-daemonset',
      steps: [
        setup('kubectl apply -f daemonset.yaml'),
        setup('kubectl wait ds/agent --for=jsonpath={.status.observedGeneration}=1'),
        'kubectl get ds',
        'kubectl get ds -o wide',
        'kubectl get ds agent -o yaml',
      ],
    },
    {
      name: 'get-ingress',
      steps: [
        setup('kubectl apply -f ingress.yaml -f netpol.yaml'),
        'kubectl get ing',
        'kubectl get ing front -o yaml',
        'kubectl get netpol',
        'kubectl get netpol closed -o yaml',
      ],
    },
    {
      name: 'get-quota',
      steps: [
        setup('kubectl apply -f quota.yaml -f limits.yaml'),
        setup('kubectl wait quota/few --for=jsonpath={.status.used.pods}=0'),
        'kubectl get quota',
        'kubectl get limits',
        'kubectl get quota few -o yaml',
        'kubectl get limits sizes -o yaml',
      ],
    },
    {
      name: 'get-pdb',
      steps: [
        ...web,
        setup('kubectl apply -f pdb.yaml'),
        setup('kubectl wait pdb/web --for=jsonpath={.status.expectedPods}=2'),
        'kubectl get pdb',
        'kubectl get pdb web -o yaml',
      ],
    },
    {
      name: 'get-rbac',
      steps: [
        setup('kubectl apply -f roles.yaml'),
        'kubectl get roles,rolebindings',
        'kubectl get rolebindings -o wide',
        'kubectl get role read -o yaml',
        'kubectl get clusterrole view',
        'kubectl get clusterrolebinding cluster-admin -o wide',
      ],
    },
    {
      name: 'get-storage',
      steps: [
        'kubectl get pv,pvc,sc',
        'kubectl apply -f - <<E\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: c }\nspec: { accessModes: [ReadWriteOnce], storageClassName: none, resources: { requests: { storage: 1Gi } } }\nE',
        'kubectl get pvc c -o jsonpath={.spec}',
      ],
    },
    {
      name: 'get-priority-classes',
      steps: ['kubectl get pc', 'kubectl get pc system-node-critical -o yaml'],
    },
    {
      name: 'get-leases',
      steps: [
        'kubectl get lease $NODE -n kube-node-lease -o jsonpath={.spec.leaseDurationSeconds}',
        'kubectl get lease nothing',
      ],
    },
    {
      name: 'get-endpoint-slices',
      steps: [
        setup('kubectl apply -f service.yaml'),
        setup('kubectl wait endpointslice -l kubernetes.io/service-name=web --for=create'),
        'kubectl get endpointslices -l kubernetes.io/service-name=web',
        "kubectl get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[0].addressType} {.items[0].metadata.labels}'",
        setup('kubectl wait ep/web --for=create'),
        'kubectl get endpoints web',
      ],
    },
  ],
};
