/** `delete` with its policies, finalizers and waits. */
import { setup, type Theme } from '../harness/conversation.ts';

const all = setup('kubectl apply -f all.yaml');
const web = [
  setup('kubectl apply -f web.yaml'),
  setup('kubectl wait deploy/web --for=jsonpath={.status.replicas}=2'),
];

export const DELETING: Theme = {
  theme: 'deleting',
  conversations: [
    {
      name: 'delete',
      steps: [
        all,
        'kubectl delete cm a',
        'kubectl delete cm a',
        'kubectl delete cm a --ignore-not-found',
        'kubectl delete cm/b secret/c',
      ],
    },
    {
      name: 'delete-file',
      steps: [
        all,
        'kubectl delete -f all.yaml',
        'kubectl delete -f all.yaml',
        'kubectl delete -f all.yaml --ignore-not-found',
      ],
    },
    {
      name: 'delete-selector',
      steps: [
        all,
        'kubectl delete cm,secret -l part=one',
        'kubectl delete cm -l part=nothing',
        'kubectl get cm -o name',
        'kubectl delete cm',
        'kubectl delete cm a --all',
      ],
    },
    {
      name: 'delete-field-selector',
      steps: [all, 'kubectl delete cm --field-selector metadata.name=b', 'kubectl get cm -o name'],
    },
    {
      name: 'delete-all',
      steps: [
        all,
        'kubectl delete secrets --all',
        'kubectl delete cm --all --dry-run=client',
        'kubectl delete cm a --dry-run=server',
        'kubectl get cm -o name',
      ],
    },
    {
      name: 'delete-output',
      steps: [
        all,
        'kubectl delete cm a -o name',
        'kubectl delete cm b -o yaml',
        'kubectl delete cm b -o name --ignore-not-found',
      ],
    },
    {
      name: 'delete-background',
      steps: [
        ...web,
        'kubectl delete deploy web',
        setup('kubectl wait rs,pods -l app=web --for=delete'),
        'kubectl get rs,pods',
      ],
    },
    {
      name: 'delete-orphan',
      steps: [
        ...web,
        'kubectl delete deploy web --cascade=orphan',
        "kubectl get rs -l app=web -o jsonpath='{.items[0].metadata.ownerReferences}'",
        'kubectl get rs',
        'kubectl get pods -l app=web --no-headers | wc -l',
        'kubectl delete rs -l app=web --cascade=orphan',
        "kubectl get pods -l app=web -o jsonpath='{.items[0].metadata.ownerReferences}'",
      ],
    },
    {
      name: 'delete-foreground',
      steps: [
        ...web,
        "kubectl patch pod -l app=web --type=merge -p '{}' 2>&1 | tail -1",
        'kubectl delete deploy web --cascade=foreground',
        'kubectl get deploy,rs,pods',
      ],
    },
    {
      name: 'delete-foreground-held',
      steps: [
        ...web,
        setup(
          'for p in $(kubectl get pods -l app=web -o name); do kubectl patch $p --type=merge -p \'{"metadata":{"finalizers":["example.com/hold"]}}\'; done',
        ),
        'kubectl delete deploy web --cascade=foreground --wait=false',
        "kubectl get deploy web -o jsonpath='{.metadata.finalizers}'",
        'kubectl get deploy',
        setup(
          'for p in $(kubectl get pods -l app=web -o name); do kubectl patch $p --type=merge -p \'{"metadata":{"finalizers":null}}\'; done',
        ),
        setup('kubectl wait deploy/web --for=delete'),
        'kubectl get deploy',
      ],
    },
    {
      name: 'delete-finalizer',
      steps: [
        setup(
          'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: held, finalizers: [example.com/hold] }\nE',
        ),
        'kubectl delete cm held --wait=false',
        "kubectl get cm held -o jsonpath='{.metadata.deletionGracePeriodSeconds} {.metadata.finalizers}'",
        'kubectl patch cm held --type=merge -p \'{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}\'',
        'kubectl patch cm held --type=merge -p \'{"data":{"a":"b"}}\'',
        'kubectl patch cm held --type=merge -p \'{"metadata":{"finalizers":null}}\'',
        'kubectl get cm held',
      ],
    },
    {
      name: 'delete-pod-pending',
      steps: [setup('kubectl create -f pod.yaml'), 'kubectl delete pod p', 'kubectl get pod p'],
    },
    {
      name: 'delete-pod-live',
      steps: [
        setup('kubectl apply -f live-pod.yaml'),
        setup('kubectl wait pod/live --for=condition=Ready'),
        'kubectl delete pod live',
        'kubectl get pods',
      ],
    },
    {
      name: 'delete-force',
      steps: [
        setup('kubectl create -f pod.yaml'),
        'kubectl delete pod p --force',
        'kubectl delete pod p --grace-period=0',
        'kubectl delete pod p --now --ignore-not-found',
        'kubectl delete cm kube-root-ca.crt --force --grace-period=3',
      ],
    },
    {
      name: 'delete-wrong',
      steps: [
        'kubectl delete',
        'kubectl delete cm',
        'kubectl delete gadget x',
        'kubectl delete cm/a b',
        'kubectl delete cm --all -l a=b --field-selector x',
        'kubectl delete --raw /api/v1/namespaces/$NS/configmaps/nobody',
        'kubectl delete cm x --cascade=some',
      ],
    },
    {
      name: 'delete-namespace',
      steps: [
        setup('kubectl create ns $NS-gone'),
        setup('kubectl create -f all.yaml -n $NS-gone'),
        'kubectl delete ns $NS-gone',
        'kubectl get ns $NS-gone',
        'kubectl get cm -n $NS-gone',
      ],
    },
    {
      name: 'delete-default-objects',
      steps: [
        'kubectl delete ns default',
        'kubectl delete ns kube-system',
        'kubectl delete sa default',
        setup('kubectl wait sa/default --for=create'),
        'kubectl get sa default --no-headers | cut -d " " -f 1',
      ],
    },
    {
      name: 'delete-job',
      steps: [
        setup('kubectl apply -f job.yaml'),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        'kubectl delete job sums',
        setup('kubectl wait pods -l job-name=sums --for=delete'),
        'kubectl get jobs,pods',
      ],
    },
    {
      name: 'delete-pods-of-job',
      steps: [
        setup("sed 's/completions: 2/completions: 1\\n  backoffLimit: 0/' job.yaml | kubectl apply -f -"),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=1'),
        'kubectl delete pods -l job-name=sums --force 2>&1 | cut -c1-24',
        setup('kubectl wait job/sums --for=condition=Failed'),
        'kubectl get job sums -o jsonpath=\'{.status.failed} {.status.conditions[?(@.type=="Failed")].reason} {.status.conditions[?(@.type=="Failed")].message}\'',
      ],
    },
    {
      name: 'owner-references',
      steps: [
        setup('kubectl create cm parent'),
        setup(
          'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: child, ownerReferences: [{ apiVersion: v1, kind: ConfigMap, name: parent, uid: $(kubectl get cm parent -o jsonpath={.metadata.uid}) }] }\nE',
        ),
        'kubectl get cm child -o jsonpath={.metadata.ownerReferences[0].name}',
        'kubectl delete cm parent',
        setup('kubectl wait cm/child --for=delete'),
        'kubectl get cm child',
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: child, ownerReferences: [{ apiVersion: v1, kind: ConfigMap, name: parent }] }\nE',
      ],
    },
    {
      name: 'job-ttl',
      steps: [
        setup(
          "kubectl apply -f - <<E\napiVersion: batch/v1\nkind: Job\nmetadata: { name: short }\nspec: { ttlSecondsAfterFinished: 1, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: 'rig.local/node:24', command: ['true'] }] } } }\nE",
        ),
        setup('kubectl wait job/short --for=delete --timeout=60s'),
        'kubectl get jobs',
      ],
    },
  ],
};
