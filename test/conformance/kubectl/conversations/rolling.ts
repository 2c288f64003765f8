/** `rollout`, `scale`, `autoscale`, `wait`. */
import { setup, type Theme } from '../harness/conversation.ts';

const web = setup('kubectl apply -f web.yaml');
const seen = setup('kubectl wait deploy/web --for=jsonpath={.status.replicas}=2');
const live = [setup('kubectl apply -f live.yaml'), setup('kubectl rollout status deploy/live')];

export const ROLLING: Theme = {
  theme: 'rolling',
  conversations: [
    {
      name: 'rollout-status',
      steps: [
        web,
        seen,
        'kubectl rollout status deploy/web --timeout=1s',
        'kubectl rollout status deploy/web --watch=false',
        'kubectl rollout status deploy/nobody',
        'kubectl rollout status cm/kube-root-ca.crt',
      ],
    },
    {
      name: 'rollout-live',
      steps: [
        ...live,
        'kubectl rollout status deploy/live',
        'kubectl get deploy live',
        'kubectl get deploy live -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}{"\\n"}{end}\'',
        'kubectl get deploy live -o jsonpath={.status.readyReplicas}/{.status.availableReplicas}/{.status.updatedReplicas}',
      ],
    },
    {
      name: 'rollout-history',
      steps: [
        web,
        seen,
        setup('kubectl annotate deploy web kubernetes.io/change-cause=first'),
        setup('kubectl set image deploy/web web=example.com/web:2'),
        setup('kubectl wait deploy/web --for=jsonpath={.status.observedGeneration}=3'),
        'kubectl rollout history deploy/web',
        'kubectl rollout history deploy/web --revision=2',
        'kubectl rollout history deploy/web --revision=9',
      ],
    },
    {
      name: 'rollout-undo',
      steps: [
        web,
        seen,
        setup('kubectl set image deploy/web web=example.com/web:2'),
        setup(
          'kubectl wait deploy/web --for=jsonpath={.metadata.annotations.deployment\\\\.kubernetes\\\\.io/revision}=2',
        ),
        'kubectl rollout undo deploy/web',
        'kubectl get deploy web -o jsonpath={.spec.template.spec.containers[0].image}',
        'kubectl rollout undo deploy/web --to-revision=8',
        'kubectl rollout undo deploy/web --dry-run=client',
      ],
    },
    {
      name: 'rollout-pause',
      steps: [
        web,
        'kubectl rollout pause deploy/web',
        'kubectl rollout pause deploy/web',
        'kubectl rollout undo deploy/web',
        'kubectl rollout restart deploy/web',
        'kubectl rollout resume deploy/web',
        'kubectl rollout resume deploy/web',
      ],
    },
    {
      name: 'rollout-restart',
      steps: [
        web,
        'kubectl rollout restart deploy/web',
        "kubectl get deploy web -o jsonpath='{.spec.template.metadata.annotations}'",
        // The time of a restart has whole seconds, and kubectl refuses a second one within the same.
        setup('sleep 1.1'),
        'kubectl rollout restart deploy -l app=web',
        'kubectl rollout restart rs',
      ],
    },
    {
      name: 'rollout-statefulset',
      steps: [
        setup('kubectl apply -f statefulset.yaml'),
        setup('kubectl wait sts/db --for=jsonpath={.status.replicas}=1'),
        'kubectl rollout status sts/db --timeout=1s',
        'kubectl rollout history sts/db',
        'kubectl rollout restart sts/db',
        'kubectl rollout status sts/db --watch=false',
      ],
    },
    {
      name: 'rollout-daemonset',
      steps: [
        setup('kubectl apply -f daemonset.yaml'),
        setup('kubectl wait ds/agent --for=jsonpath={.status.observedGeneration}=1'),
        'kubectl rollout status ds/agent',
        'kubectl rollout history ds/agent',
        'kubectl rollout restart ds/agent',
      ],
    },
    {
      name: 'scale',
      steps: [
        web,
        'kubectl scale deploy web --replicas=3',
        'kubectl scale deploy/web --replicas=1 --current-replicas=3',
        'kubectl scale deploy/web --replicas=1 --current-replicas=3',
        'kubectl scale deploy nobody --replicas=1',
        'kubectl scale deploy web --replicas=-1',
        'kubectl scale -f web.yaml --replicas=2',
        'kubectl scale deploy web --replicas=4 --dry-run=server',
        'kubectl get deploy web -o jsonpath={.spec.replicas}',
      ],
    },
    {
      name: 'scale-others',
      steps: [
        web,
        seen,
        setup('kubectl apply -f statefulset.yaml -f job.yaml'),
        'kubectl scale sts db --replicas=0',
        "kubectl scale rs -l app=web --replicas=5 2>&1 | sed 's/web-[a-z0-9]*/web-x/'",
        'kubectl scale job sums --replicas=3',
        'kubectl scale cm kube-root-ca.crt --replicas=1',
        'kubectl scale deploy --all --replicas=0',
      ],
    },
    {
      name: 'scale-to-nothing',
      steps: [
        ...live,
        setup('kubectl scale deploy live --replicas=0'),
        setup('kubectl wait pods -l app=live --for=delete'),
        'kubectl get deploy live',
        'kubectl get pods',
      ],
    },
    {
      name: 'autoscale',
      steps: [
        web,
        'kubectl autoscale deploy web --min=2 --max=5 --cpu-percent=80',
        'kubectl get hpa web -o jsonpath={.spec}',
        'kubectl autoscale deploy web --max=5',
        'kubectl autoscale deploy web --name=other --min=6 --max=5',
        'kubectl autoscale deploy web --name=none',
        'kubectl autoscale deploy web --name=dry --max=2 --dry-run=server -o jsonpath={.spec.maxReplicas}',
        'kubectl autoscale deploy nobody --max=2',
      ],
    },
    {
      name: 'hpa',
      steps: [
        web,
        'kubectl apply -f - <<E\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: web }\nspec:\n  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }\n  minReplicas: 1\n  maxReplicas: 3\n  metrics: [{ type: Resource, resource: { name: memory, target: { type: AverageValue, averageValue: 100Mi } } }]\n  behavior: { scaleDown: { stabilizationWindowSeconds: 10 } }\nE',
        'kubectl get hpa web -o jsonpath={.spec.behavior}',
        'kubectl get hpa.v1.autoscaling web -o jsonpath={.metadata.annotations}',
        'kubectl patch hpa web --type=merge -p \'{"spec":{"maxReplicas":0}}\'',
      ],
    },
    {
      name: 'wait',
      steps: [
        web,
        seen,
        'kubectl wait deploy/web --for=condition=Progressing',
        'kubectl wait deploy/web --for=condition=Available --timeout=1s',
        'kubectl wait deploy/web --for=jsonpath={.spec.replicas}=2',
        'kubectl wait deploy/web --for=create',
        'kubectl wait deploy/nobody --for=condition=Available',
        'kubectl wait deploy/nobody --for=delete',
        'kubectl wait deploy/web',
        'kubectl wait deploy/web --for=something',
      ],
    },
    {
      name: 'wait-delete',
      steps: [
        setup('kubectl create -f cm.yaml'),
        '(kubectl wait cm/settings --for=delete & sleep 0.5; kubectl delete cm settings; wait) | sort',
        'kubectl wait cm -l a=b --for=delete',
        'kubectl wait cm -l a=b --for=condition=Ready',
      ],
    },
    {
      name: 'revision-limit',
      steps: [
        setup("sed 's/replicas: 2/replicas: 0\\n  revisionHistoryLimit: 1/' web.yaml | kubectl apply -f -"),
        ...[2, 3, 4].flatMap((n) => [
          setup(
            `kubectl wait deploy/web --for=jsonpath={.metadata.annotations.deployment\\\\.kubernetes\\\\.io/revision}=${n - 1}`,
          ),
          setup(`kubectl set image deploy/web web=example.com/web:${n}`),
        ]),
        {
          until:
            "kubectl get rs -o jsonpath='{.items[*].metadata.annotations.deployment\\.kubernetes\\.io/revision}' | tr ' ' '\\n' | sort | tr '\\n' ' '",
          prints: /^3 4 $/,
        },
        'kubectl rollout history deploy/web',
      ],
    },
  ],
};
