/** `describe`, which reads several kinds of objects and prints their fields. */
import { setup, type Theme, until } from '../harness/conversation.ts';

const web = [
  setup('kubectl apply -f web.yaml'),
  setup('kubectl wait deploy/web --for=jsonpath={.status.replicas}=2'),
];

export const DESCRIBING: Theme = {
  theme: 'describing',
  conversations: [
    { name: 'describe-deploy', steps: [...web, 'kubectl describe deploy web'] },
    { name: 'describe-rs', steps: [...web, 'kubectl describe rs -l app=web --show-events=false'] },
    { name: 'describe-pod', steps: [setup('kubectl apply -f pod.yaml'), 'kubectl describe pod p'] },
    {
      name: 'describe-pods',
      steps: [...web, 'kubectl describe pods -l app=web', 'kubectl describe pod web --show-events=false'],
    },
    {
      name: 'describe-service',
      steps: [
        setup('kubectl apply -f service.yaml'),
        setup('kubectl wait endpointslice -l kubernetes.io/service-name=web --for=create'),
        'kubectl describe svc web',
      ],
    },
    {
      name: 'describe-configmap',
      // kubectl shows keys in an order that changes.
      sorted: true,
      steps: [setup('kubectl apply -f cm.yaml'), 'kubectl describe cm settings'],
    },
    {
      name: 'describe-secret',
      steps: [setup('kubectl create secret generic s --from-literal=a=b'), 'kubectl describe secret s'],
    },
    {
      name: 'describe-job',
      steps: [
        setup('kubectl apply -f job.yaml'),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        'kubectl describe job sums --show-events=false',
      ],
    },
    {
      name: 'describe-cronjob',
      steps: [setup('kubectl apply -f cronjob.yaml'), 'kubectl describe cronjob nightly'],
    },
    {
      name: 'describe-statefulset',
      steps: [
        setup('kubectl apply -f statefulset.yaml'),
        setup('kubectl wait sts/db --for=jsonpath={.status.replicas}=1'),
        'kubectl describe sts db',
      ],
    },
    {
      name: 'describe-daemonset',
      steps: [
        setup('kubectl apply -f daemonset.yaml'),
        setup('kubectl wait ds/agent --for=jsonpath={.status.observedGeneration}=1'),
        'kubectl describe ds agent',
      ],
    },
    {
      name: 'describe-namespace',
      sorted: true,
      steps: [
        setup('kubectl apply -f quota.yaml -f limits.yaml'),
        setup('kubectl wait quota/few --for=jsonpath={.status.used.configmaps}=1'),
        'kubectl describe ns $NS',
      ],
    },
    {
      name: 'describe-quota',
      steps: [
        setup('kubectl apply -f quota.yaml'),
        setup('kubectl wait quota/few --for=jsonpath={.status.used.configmaps}=1'),
        'kubectl describe quota few',
      ],
    },
    {
      name: 'describe-limits',
      sorted: true,
      steps: [setup('kubectl apply -f limits.yaml'), 'kubectl describe limits sizes'],
    },
    {
      name: 'describe-pdb',
      steps: [
        setup('kubectl apply -f pdb.yaml'),
        setup('kubectl wait pdb/web --for=jsonpath={.status.observedGeneration}=1'),
        'kubectl describe pdb web --show-events=false',
      ],
    },
    {
      name: 'describe-ingress',
      steps: [setup('kubectl apply -f ingress.yaml'), 'kubectl describe ing front'],
    },
    {
      name: 'describe-netpol',
      steps: [setup('kubectl apply -f netpol.yaml'), 'kubectl describe netpol closed'],
    },
    {
      name: 'describe-roles',
      steps: [
        setup('kubectl apply -f roles.yaml'),
        'kubectl describe role read',
        'kubectl describe rolebinding read',
        'kubectl describe sa reader',
      ],
    },
    {
      name: 'describe-cluster-roles',
      steps: [
        'kubectl describe clusterrolebinding system:basic-user',
        'kubectl describe clusterrole system:basic-user',
        'kubectl describe clusterrole system:discovery',
      ],
    },
    {
      name: 'describe-hpa',
      steps: [
        ...web,
        setup('kubectl autoscale deploy web --min=1 --max=3 --cpu-percent=50'),
        'kubectl get hpa web -o jsonpath={.spec}',
      ],
    },
    {
      name: 'describe-crd',
      steps: [
        setup('kubectl apply -f gizmos.yaml'),
        until('kubectl wait crd/gizmos.$NS.example.com --for=condition=Established', /condition met/),
        'kubectl describe crd gizmos.$NS.example.com',
      ],
      after: ['kubectl delete crd gizmos.$NS.example.com'],
    },
    {
      name: 'describe-missing',
      steps: [
        'kubectl describe pod nobody',
        'kubectl describe pods',
        'kubectl describe deploy -l app=none',
        'kubectl describe nothing x',
      ],
    },
    { name: 'describe-priority-class', steps: ['kubectl describe pc system-cluster-critical'] },
    {
      name: 'describe-lease',
      steps: [
        'kubectl apply -f - <<E\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: { name: turn }\nspec: { holderIdentity: me, leaseDurationSeconds: 10 }\nE',
        'kubectl get leases',
        'kubectl describe lease turn',
      ],
    },
    {
      name: 'describe-endpoints',
      steps: [
        'kubectl apply -f - <<E\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: { name: by-hand }\naddressType: IPv4\nendpoints: [{ addresses: [192.0.2.7], conditions: { ready: true } }]\nports: [{ name: http, port: 80 }]\nE',
        'kubectl get endpointslices',
        'kubectl describe endpointslice by-hand',
      ],
    },
  ],
};
