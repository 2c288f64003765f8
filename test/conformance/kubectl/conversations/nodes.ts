/** Nodes: `get`, `taint`, `cordon`, `drain`. */
import { setup, type Theme } from '../harness/conversation.ts';

const live = [setup('kubectl apply -f live.yaml'), setup('kubectl rollout status deploy/live')];

export const NODES: Theme = {
  theme: 'nodes',
  conversations: [
    {
      name: 'node-get',
      alone: true,
      steps: [
        "kubectl get nodes --no-headers | sed 's/ v1.*//'",
        'kubectl get node $NODE -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}{"\\n"}{end}\'',
        "kubectl get node $NODE -o jsonpath='{.metadata.labels}' | tr , '\\n'",
        'kubectl get node nobody',
        "kubectl get node $NODE -o jsonpath='{.status.capacity.pods} {.status.nodeInfo.kubeletVersion}'",
      ],
    },
    {
      name: 'node-label',
      alone: true,
      steps: [
        'kubectl label node $NODE example.com/x=y',
        'kubectl get nodes -l example.com/x=y -o name',
        'kubectl label node $NODE example.com/x-',
        'kubectl annotate node $NODE example.com/a=b',
        'kubectl annotate node $NODE example.com/a-',
      ],
    },
    {
      name: 'node-taint',
      alone: true,
      steps: [
        'kubectl taint node $NODE a=b:NoSchedule',
        'kubectl taint node $NODE a=b:NoSchedule',
        'kubectl taint node $NODE a=c:NoSchedule',
        'kubectl taint node $NODE a=c:NoSchedule --overwrite',
        'kubectl get node $NODE -o jsonpath={.spec.taints}',
        'kubectl taint node $NODE a:NoSchedule-',
        'kubectl taint node $NODE a:NoSchedule-',
        'kubectl taint node $NODE a=b:Foo',
        'kubectl taint node $NODE',
        'kubectl taint node nobody a=b:NoSchedule',
      ],
      after: ['kubectl taint node $NODE a-'],
    },
    {
      name: 'node-cordon',
      alone: true,
      steps: [
        'kubectl cordon $NODE',
        'kubectl cordon $NODE',
        "kubectl get node $NODE --no-headers | awk '{print $2}'",
        "kubectl get node $NODE -o jsonpath='{.spec.unschedulable}'",
        'kubectl cordon $NODE --dry-run=server',
        'kubectl uncordon $NODE',
        'kubectl uncordon $NODE',
        'kubectl cordon nobody',
      ],
      after: ['kubectl uncordon $NODE'],
    },
    {
      name: 'node-cordoned-pods',
      alone: true,
      steps: [
        setup('kubectl cordon $NODE'),
        setup(
          'kubectl apply -f - <<E\napiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: [{ name: c, image: i }] }\nE',
        ),
        setup('kubectl wait pod/p --for=condition=PodScheduled=False'),
        'kubectl get pod p -o jsonpath=\'{.status.conditions[?(@.type=="PodScheduled")].message}\'',
      ],
      after: ['kubectl uncordon $NODE'],
    },
    {
      name: 'node-drain',
      alone: true,
      steps: [
        ...live,
        'kubectl drain $NODE --pod-selector=app=live --dry-run=client',
        'kubectl drain $NODE --pod-selector=app=live',
        'kubectl get deploy live',
        'kubectl uncordon $NODE',
        'kubectl rollout status deploy/live | tail -1',
      ],
      after: ['kubectl uncordon $NODE'],
    },
    {
      name: 'node-drain-bare-pod',
      alone: true,
      steps: [
        setup("sed 's/app: live/app: bare/' live-pod.yaml | kubectl apply -f -"),
        setup('kubectl wait pod/live --for=condition=Ready'),
        'kubectl drain $NODE --pod-selector=app=bare',
        'kubectl drain $NODE --pod-selector=app=bare --force',
        'kubectl get pods',
      ],
      after: ['kubectl uncordon $NODE'],
    },
    {
      name: 'node-drain-budget',
      alone: true,
      steps: [
        ...live,
        setup("sed 's/app: web/app: live/' pdb.yaml | kubectl apply -f -"),
        setup('kubectl wait pdb/web --for=jsonpath={.status.currentHealthy}=1'),
        'kubectl drain $NODE --pod-selector=app=live --timeout=1s 2>&1 | sort -u',
      ],
      after: ['kubectl uncordon $NODE'],
    },
    {
      name: 'node-evicting-taint',
      alone: true,
      steps: [
        ...live,
        setup('kubectl taint node $NODE gone=yes:NoExecute'),
        setup('kubectl wait pods -l app=live --for=jsonpath={.status.phase}=Pending'),
        'kubectl get pods -l app=live',
        'kubectl get pods -l app=live -o jsonpath=\'{.items[0].status.conditions[?(@.type=="PodScheduled")].message}\'',
      ],
      after: ['kubectl taint node $NODE gone-'],
    },
    {
      name: 'node-describe',
      alone: true,
      steps: [
        "kubectl describe node $NODE | grep -E '^(Name|Roles|Taints|Unschedulable|Conditions|Capacity|Allocatable|System Info|Non-terminated|Allocated|Events)' | cut -d: -f1",
      ],
    },
  ],
};
