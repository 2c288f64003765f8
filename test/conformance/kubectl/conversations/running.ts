/** Pods that run: `exec`, `logs`, `cp`, `attach`, `port-forward`, `debug`, `events`, `top`. */
import { setup, type Theme, until } from '../harness/conversation.ts';

const IMAGE = 'rig.local/node:24';
const live = [setup('kubectl apply -f live-pod.yaml'), setup('kubectl wait pod/live --for=condition=Ready')];
const pod = (name: string, rest: string): string =>
  `kubectl apply -f - <<E\napiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: ${rest}\nE`;
const container = (command: string, more = ''): string =>
  `{ name: main, image: '${IMAGE}', command: [sh, -c, ${JSON.stringify(command)}]${more} }`;

export const RUNNING: Theme = {
  theme: 'running',
  conversations: [
    {
      name: 'pod-live',
      steps: [
        ...live,
        'kubectl get pod live',
        "kubectl get pod live -o jsonpath='{.status.phase} {.status.qosClass} {range .status.conditions[*]}{.type}={.status} {end}'",
        'kubectl get pod live -o jsonpath=\'{range .status.containerStatuses[*]}{.name} {.ready} {.restartCount} {.started}{"\\n"}{end}\'',
        'kubectl get pod live -o jsonpath={.status.observedGeneration}',
      ],
    },
    {
      name: 'pod-live-describe',
      steps: [
        ...live,
        "kubectl describe pod live --show-events=false | grep -v -e 'Image ID' -e 'Container ID' -e ^Node:",
      ],
    },
    {
      name: 'logs',
      sorted: true,
      steps: [
        ...live,
        'kubectl logs live -c main',
        'kubectl logs live',
        'kubectl logs live --all-containers',
        'kubectl logs live --all-containers --prefix',
        'kubectl logs live -c main --tail=1',
        'kubectl logs live -c main --timestamps | cut -d" " -f2',
        'kubectl logs live -c nobody',
        'kubectl logs nobody',
        'kubectl logs live -c main --previous',
        'kubectl logs live -c main --limit-bytes=5',
        'kubectl logs live -c main --since=1h',
        'kubectl logs -l app=live -c main',
      ],
    },
    {
      name: 'logs-of-deploy',
      steps: [
        setup('kubectl apply -f live.yaml'),
        setup('kubectl rollout status deploy/live'),
        'kubectl logs deploy/live',
        'kubectl logs deploy/nobody',
        'kubectl logs rs/live',
      ],
    },
    {
      name: 'logs-pending',
      steps: [
        setup('kubectl apply -f pod.yaml'),
        'kubectl logs p',
        'kubectl exec p -- ls',
        'kubectl attach p',
        'kubectl port-forward p 18080:80 --address 127.0.0.1',
      ],
    },
    {
      name: 'exec',
      steps: [
        ...live,
        'kubectl exec live -c main -- echo hi',
        'kubectl exec live -- echo hi',
        "kubectl exec live -c main -- sh -c 'echo out; echo err >&2; exit 3'",
        'kubectl exec live -c main -- nothing-there',
        'kubectl exec live -c nobody -- ls',
        'kubectl exec nobody -- ls',
        'kubectl exec live -c main',
        'echo input | kubectl exec -i live -c main -- cat',
        'kubectl exec pod/live -c side -- sh -c "echo \\$HOSTNAME"',
      ],
    },
    {
      name: 'exec-deploy',
      steps: [
        setup('kubectl apply -f live.yaml'),
        setup('kubectl rollout status deploy/live'),
        'kubectl exec deploy/live -- echo hi',
        "kubectl exec deploy/live -- sh -c 'test -f /var/run/secrets/kubernetes.io/serviceaccount/token && echo token'",
        "kubectl exec deploy/live -- sh -c 'cat /var/run/secrets/kubernetes.io/serviceaccount/namespace'",
      ],
    },
    {
      name: 'cp',
      steps: [
        ...live,
        'kubectl cp cm.yaml live:/tmp/there.yaml -c main',
        'kubectl exec live -c main -- cat /tmp/there.yaml',
        'kubectl cp live:/tmp/there.yaml back.yaml -c main 2>&1 | grep -v tar:',
        'cmp cm.yaml back.yaml && echo same',
        'kubectl cp nothing live:/tmp/x',
        'kubectl cp cm.yaml nobody:/tmp/x',
        'kubectl cp live:/nothing x -c main',
      ],
    },
    {
      name: 'attach',
      steps: [
        setup(
          pod(
            'talk',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('read -r line; echo got $line; exec sleep 3600', ', stdin: true')}] }`,
          ),
        ),
        setup('kubectl wait pod/talk --for=condition=Ready'),
        '(echo word; sleep 1) | timeout 4 kubectl attach -i talk 2>/dev/null | grep got',
        'kubectl logs talk',
        'kubectl attach nobody',
      ],
    },
    {
      name: 'port-forward',
      steps: [
        setup(
          pod(
            'web',
            `{ terminationGracePeriodSeconds: 0, containers: [{ name: main, image: '${IMAGE}', command: [node, -e, "require('http').createServer((q, s) => s.end('served ' + q.url)).listen(8080)"], readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 } }] }`,
          ),
        ),
        setup('kubectl wait pod/web --for=condition=Ready'),
        "kubectl port-forward pod/web :8080 > f & P=$!; for i in $(seq 100); do grep -q Forwarding f && break; sleep 0.1; done; node -e \"fetch('http://127.0.0.1:'+require('fs').readFileSync('f','utf8').match(/:(\\\\d+) ->/)[1]+'/x').then(r=>r.text()).then(console.log)\"; kill $P",
        'kubectl get --raw /api/v1/namespaces/$NS/pods/web:8080/proxy/y',
        'kubectl port-forward nobody 1:2',
        'kubectl get --raw /api/v1/namespaces/$NS/pods/nobody:80/proxy/',
      ],
    },
    {
      name: 'debug',
      steps: [
        ...live,
        `kubectl debug live --image='${IMAGE}' --container=look --target=main --profile=general -- sleep 3600`,
        until("kubectl get pod live -o jsonpath='{.status.ephemeralContainerStatuses[0].state}'", /running/),
        'kubectl get pod live',
        "kubectl get pod live -o jsonpath='{.spec.ephemeralContainers[0].name} {.spec.ephemeralContainers[0].targetContainerName}'",
        'kubectl exec live -c look -- echo hi',
        `kubectl debug live --image='${IMAGE}' --container=main -- x`,
      ],
    },
    {
      name: 'debug-copy',
      steps: [
        setup('kubectl apply -f pod.yaml'),
        'kubectl debug p --copy-to=q --container=main --profile=general -- sleep 1',
        "kubectl get pod q -o jsonpath='{.spec.containers[0].command} {.metadata.labels}'",
        'kubectl debug nobody --image=x',
      ],
    },
    {
      name: 'pod-succeeds',
      steps: [
        setup(pod('once', `{ restartPolicy: Never, containers: [${container('echo done')}] }`)),
        setup('kubectl wait pod/once --for=jsonpath={.status.phase}=Succeeded'),
        'kubectl get pod once',
        "kubectl get pod once -o jsonpath='{.status.containerStatuses[0].state.terminated.reason} {.status.containerStatuses[0].state.terminated.exitCode} {range .status.conditions[*]}{.type}={.status}/{.reason} {end}'",
        'kubectl logs once',
        'kubectl exec once -- ls',
      ],
    },
    {
      name: 'pod-fails',
      steps: [
        setup(pod('once', `{ restartPolicy: Never, containers: [${container('echo bad >&2; exit 4')}] }`)),
        setup('kubectl wait pod/once --for=jsonpath={.status.phase}=Failed'),
        'kubectl get pod once',
        "kubectl get pod once -o jsonpath='{.status.containerStatuses[0].state.terminated.reason} {.status.containerStatuses[0].state.terminated.exitCode}'",
        'kubectl logs once',
      ],
    },
    {
      name: 'pod-config-error',
      steps: [
        setup(
          pod(
            'bad',
            `{ containers: [{ name: main, image: '${IMAGE}', envFrom: [{ configMapRef: { name: none } }] }] }`,
          ),
        ),
        until('kubectl get pod bad', /CreateContainerConfigError/),
        "kubectl get pod bad -o jsonpath='{.status.containerStatuses[0].state.waiting}'",
        'kubectl logs bad',
      ],
    },
    {
      name: 'pod-init',
      steps: [
        setup(
          pod(
            'init',
            `{ terminationGracePeriodSeconds: 0, initContainers: [{ name: first, image: '${IMAGE}', command: [sh, -c, 'exit 0'] }, { name: hold, image: '${IMAGE}', command: [sleep, '3600'] }], containers: [${container('exec sleep 3600')}] }`,
          ),
        ),
        until('kubectl get pod init', /Init:1\/2/),
        'kubectl get pod init',
        'kubectl get pod init -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{"\\n"}{end}\'',
      ],
    },
    {
      name: 'pod-sidecar',
      steps: [
        setup(
          pod(
            'side',
            `{ terminationGracePeriodSeconds: 0, initContainers: [{ name: proxy, image: '${IMAGE}', restartPolicy: Always, command: [sleep, '3600'] }], containers: [${container('exec sleep 3600')}] }`,
          ),
        ),
        setup('kubectl wait pod/side --for=condition=Ready'),
        'kubectl get pod side',
        'kubectl exec side -c proxy -- echo hi',
        "kubectl get pod side -o jsonpath='{.status.initContainerStatuses[0].started} {.status.initContainerStatuses[0].ready}'",
      ],
    },
    {
      name: 'pod-unschedulable',
      steps: [
        setup(pod('far', '{ nodeSelector: { nowhere: "true" }, containers: [{ name: c, image: i }] }')),
        setup('kubectl wait pod/far --for=condition=PodScheduled=False'),
        'kubectl get pod far',
        'kubectl get pod far -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\\n"}{end}\'',
      ],
    },
    {
      name: 'pod-too-large',
      steps: [
        setup(pod('big', '{ containers: [{ name: c, image: i, resources: { requests: { cpu: 1000 } } }] }')),
        setup('kubectl wait pod/big --for=condition=PodScheduled=False'),
        "kubectl get pod big -o jsonpath='{.status.conditions[0].message}'",
      ],
    },
    {
      name: 'pod-readiness',
      steps: [
        setup(
          pod(
            'slow',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', readinessProbe: { exec: { command: [test, -f, /tmp/ready] }, periodSeconds: 1 }')}] }`,
          ),
        ),
        setup('kubectl wait pod/slow --for=jsonpath={.status.containerStatuses[0].started}=true'),
        'kubectl get pod slow',
        'kubectl get pod slow -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{"\\n"}{end}\'',
        setup('kubectl exec slow -- touch /tmp/ready'),
        'kubectl wait pod/slow --for=condition=Ready',
      ],
    },
    {
      name: 'pod-env-sources',
      steps: [
        setup('kubectl create cm c --from-literal=A=one'),
        setup('kubectl create secret generic s --from-literal=B=two'),
        setup(
          pod(
            'env',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', envFrom: [{ configMapRef: { name: c } }, { secretRef: { name: s }, prefix: P_ }], env: [{ name: ME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }, { name: BOTH, value: $(ME)-x }]')}] }`,
          ),
        ),
        setup('kubectl wait pod/env --for=condition=Ready'),
        "kubectl exec env -- sh -c 'echo $A $P_B $ME $BOTH $KUBERNETES_SERVICE_PORT'",
      ],
    },
    {
      name: 'events',
      steps: [
        setup('kubectl apply -f web.yaml'),
        setup('kubectl wait deploy/web --for=jsonpath={.status.replicas}=2'),
        until('kubectl events --for deploy/web', /Scaled up/),
        'kubectl events --for deploy/web',
        'kubectl get events --field-selector involvedObject.kind=Deployment',
        'kubectl events --types=Warning',
        'kubectl events --for deploy/nobody',
        'kubectl get events --field-selector involvedObject.kind=Deployment -o custom-columns=R:.reason,T:.type,S:.source.component,M:.message',
      ],
    },
    {
      name: 'events-of-job',
      steps: [
        setup(
          "kubectl apply -f - <<E\napiVersion: batch/v1\nkind: Job\nmetadata: { name: short }\nspec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: 'rig.local/node:24', command: ['true'] }] } } }\nE",
        ),
        setup('kubectl wait job/short --for=condition=Complete'),
        until('kubectl events --for job/short', /Completed/),
        'kubectl events --for job/short',
        'kubectl get job short',
        'kubectl get job short -o jsonpath=\'{range .status.conditions[*]}{.type} {.reason} {.message}{"\\n"}{end}\'',
        "kubectl get job short -o jsonpath='{.status.succeeded} {.status.ready} {.status.terminating} {.status.uncountedTerminatedPods}'",
      ],
    },
    {
      name: 'events-by-hand',
      steps: [
        'kubectl create -f - <<E\napiVersion: v1\nkind: Event\nmetadata: { name: e }\ninvolvedObject: { kind: ConfigMap, name: c, namespace: $NS }\nreason: Said\nmessage: something\ntype: Warning\nsource: { component: me }\nE',
        'kubectl get events',
        'kubectl events',
        'kubectl create -f - <<E\napiVersion: events.k8s.io/v1\nkind: Event\nmetadata: { name: f }\nE',
      ],
    },
    {
      name: 'job-fails',
      steps: [
        setup(
          "kubectl apply -f - <<E\napiVersion: batch/v1\nkind: Job\nmetadata: { name: bad }\nspec: { backoffLimit: 0, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: 'rig.local/node:24', command: ['false'] }] } } }\nE",
        ),
        setup('kubectl wait job/bad --for=condition=Failed'),
        'kubectl get job bad',
        'kubectl get job bad -o jsonpath=\'{range .status.conditions[*]}{.type} {.reason} {.message}{"\\n"}{end}{.status.failed}\'',
      ],
    },
    {
      name: 'job-indexed',
      steps: [
        setup('kubectl apply -f indexed-job.yaml'),
        setup('kubectl wait job/parts --for=condition=Failed'),
        'kubectl get job parts -o jsonpath=\'{.status.completedIndexes} {.status.failedIndexes} {.status.succeeded} {.status.failed}{"\\n"}{range .status.conditions[*]}{.type} {.reason} {.message}{"\\n"}{end}\'',
        'kubectl get job parts',
        'kubectl get pods -l job-name=parts -o jsonpath=\'{range .items[*]}{.metadata.annotations.batch\\.kubernetes\\.io/job-completion-index} {.status.phase}{"\\n"}{end}\' | sort',
      ],
    },
    {
      name: 'job-suspend',
      steps: [
        setup("sed 's/completions: 2/completions: 2\\n  suspend: true/' job.yaml | kubectl apply -f -"),
        setup('kubectl wait job/sums --for=condition=Suspended'),
        'kubectl get job sums',
        "kubectl get job sums -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{end}'",
        setup('kubectl patch job sums --type=merge -p \'{"spec":{"suspend":false}}\''),
        setup('kubectl wait job/sums --for=jsonpath={.status.active}=2'),
        "kubectl get job sums -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{end}'",
      ],
    },
    {
      name: 'gates',
      steps: [
        setup(
          pod(
            'gated',
            `{ schedulingGates: [{ name: example.com/a }, { name: example.com/b }], terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600')}] }`,
          ),
        ),
        'kubectl get pod gated',
        'kubectl get pod gated -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\\n"}{end}\'',
        'kubectl patch pod gated --type=json -p \'[{"op":"add","path":"/spec/schedulingGates/-","value":{"name":"example.com/c"}}]\'',
        'kubectl patch pod gated --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates"}]\'',
        'kubectl wait pod/gated --for=condition=Ready',
        'kubectl get pod gated -o jsonpath={.metadata.generation}',
      ],
    },
    {
      name: 'resize',
      steps: [
        setup(
          pod(
            'r',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { cpu: 200m, memory: 128Mi } }')}] }`,
          ),
        ),
        setup('kubectl wait pod/r --for=condition=Ready'),
        'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"150m"},"limits":{"cpu":"300m"}}}]}}\'',
        until("kubectl get pod r -o jsonpath='{.status.containerStatuses[0].resources.limits.cpu}'", /300m/),
        "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].resources}'",
        "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].allocatedResources}'",
        'kubectl get pod r -o jsonpath={.metadata.generation}',
        "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].restartCount}'",
        'kubectl patch pod r -p \'{"spec":{"containers":[{"name":"main","resources":{"limits":{"cpu":"400m"}}}]}}\' 2>&1 | head -1',
      ],
    },
    {
      name: 'resize-wrong',
      steps: [
        setup(
          pod(
            'r',
            `{ schedulerName: nobody, containers: [{ name: main, image: i, resources: { requests: { cpu: 100m }, limits: { cpu: 200m } } }] }`,
          ),
        ),
        'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"300m"}}}]}}\'',
        'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","image":"x"}]}}\'',
        'kubectl patch pod r --subresource=resize --type=merge -p \'{"spec":{"containers":[{"name":"main","image":"i","resources":{}}]}}\'',
        'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"50m"}}}]}}\'',
        'kubectl get pod r -o jsonpath={.spec.containers[0].resources}',
      ],
    },
    {
      name: 'resize-impossible',
      steps: [
        setup(
          pod(
            'r',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', resources: { requests: { cpu: 100m } }')}] }`,
          ),
        ),
        setup('kubectl wait pod/r --for=condition=Ready'),
        'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"1000"}}}]}}\' 2>&1 | sed \'s/, allocatable.*//\'',
        "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].allocatedResources}'",
      ],
    },
    {
      name: 'resize-deferred',
      steps: [
        setup(
          pod(
            'other',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', resources: { requests: { cpu: 100m } }')}] }`,
          ),
        ),
        setup(
          pod(
            'r',
            `{ terminationGracePeriodSeconds: 0, containers: [${container('exec sleep 3600', ', resources: { requests: { cpu: 100m } }')}] }`,
          ),
        ),
        setup('kubectl wait pod/r pod/other --for=condition=Ready'),
        setup(
          'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"\'$(kubectl get node $NODE -o jsonpath={.status.allocatable.cpu})\'"}}}]}}\'',
        ),
        setup('kubectl wait pod/r --for=condition=PodResizePending'),
        'kubectl get pod r -o jsonpath=\'{range .status.conditions[?(@.type=="PodResizePending")]}{.status} {.reason} {.observedGeneration}{end}\'',
        "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].allocatedResources} {.status.containerStatuses[0].resources}'",
        setup(
          'kubectl patch pod r --subresource=resize -p \'{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"110m"}}}]}}\'',
        ),
        until(
          "kubectl get pod r -o jsonpath='{.status.containerStatuses[0].allocatedResources.cpu}'",
          /110m/,
        ),
        until("kubectl get pod r -o jsonpath='{.status.conditions[*].type}'", /^(?!.*PodResize)/),
        "kubectl get pod r -o jsonpath='{.metadata.generation} {.status.observedGeneration}'",
      ],
    },
    { name: 'top', steps: ['kubectl top pods', 'kubectl top pod nobody'] },
    {
      name: 'volumes',
      steps: [
        setup('kubectl create cm c --from-literal=a=one'),
        setup(
          pod(
            'v',
            `{ terminationGracePeriodSeconds: 0, volumes: [{ name: c, configMap: { name: c } }, { name: e, emptyDir: {} }, { name: d, downwardAPI: { items: [{ path: labels, fieldRef: { fieldPath: metadata.name } }] } }], containers: [${container('exec sleep 3600', ', volumeMounts: [{ name: c, mountPath: /tmp/k/c }, { name: e, mountPath: /tmp/k/e }, { name: d, mountPath: /tmp/k/d }]')}] }`,
          ),
        ),
        setup('kubectl wait pod/v --for=condition=Ready'),
        "kubectl exec v -- sh -c 'cat /tmp/k/c/a /tmp/k/d/labels; echo x > /tmp/k/e/x && cat /tmp/k/e/x'",
      ],
    },
    {
      name: 'binding',
      steps: [
        setup('kubectl apply -f pod.yaml'),
        'kubectl create -f - <<E\napiVersion: v1\nkind: Binding\nmetadata: { name: p }\ntarget: { kind: Node, name: $NODE }\nE',
        'kubectl get pod p -o jsonpath={.spec.nodeName}',
        'kubectl create -f - <<E\napiVersion: v1\nkind: Binding\nmetadata: { name: p }\ntarget: { kind: Node, name: other }\nE',
      ],
    },
  ],
};
