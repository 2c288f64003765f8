/** What kinds there are, what their fields mean, which versions answer. */
import { setup, type Theme, until } from '../harness/conversation.ts';

export const DISCOVERING: Theme = {
  theme: 'discovering',
  conversations: [
    { name: 'api-versions', steps: ['kubectl api-versions | grep -v example.com'] },
    {
      name: 'api-resources-core',
      steps: ["kubectl api-resources --api-group=''", "kubectl api-resources --api-group='' -o wide"],
    },
    {
      name: 'api-resources-apps',
      steps: [
        'kubectl api-resources --api-group=apps -o wide',
        'kubectl api-resources --api-group=batch -o wide',
      ],
    },
    {
      name: 'api-resources-rbac',
      steps: [
        'kubectl api-resources --api-group=rbac.authorization.k8s.io -o wide',
        'kubectl api-resources --api-group=authorization.k8s.io -o wide',
        'kubectl api-resources --api-group=authentication.k8s.io -o wide',
      ],
    },
    {
      name: 'api-resources-admission',
      steps: [
        'kubectl api-resources --api-group=admissionregistration.k8s.io -o wide',
        'kubectl api-resources --api-group=apiextensions.k8s.io -o wide',
        'kubectl api-resources --api-group=apiregistration.k8s.io -o wide',
      ],
    },
    {
      name: 'api-resources-networking',
      steps: [
        'kubectl api-resources --api-group=networking.k8s.io -o wide',
        'kubectl api-resources --api-group=discovery.k8s.io -o wide',
        'kubectl api-resources --api-group=policy -o wide',
        'kubectl api-resources --api-group=autoscaling -o wide',
      ],
    },
    {
      name: 'api-resources-storage',
      steps: [
        'kubectl api-resources --api-group=storage.k8s.io -o wide',
        'kubectl api-resources --api-group=scheduling.k8s.io -o wide',
        'kubectl api-resources --api-group=node.k8s.io -o wide',
      ],
    },
    {
      name: 'api-resources-others',
      steps: [
        'kubectl api-resources --api-group=coordination.k8s.io -o wide',
        'kubectl api-resources --api-group=certificates.k8s.io -o wide',
        'kubectl api-resources --api-group=events.k8s.io -o wide',
        'kubectl api-resources --api-group=flowcontrol.apiserver.k8s.io -o wide',
      ],
    },
    { name: 'api-resources-devices', steps: ['kubectl api-resources --api-group=resource.k8s.io -o wide'] },
    {
      name: 'api-resources-by-verb',
      steps: [
        'kubectl api-resources --verbs=list,deletecollection --namespaced --api-group=apps -o name',
        'kubectl api-resources --categories=all -o name',
        'kubectl api-resources --namespaced=false --api-group=rbac.authorization.k8s.io --no-headers',
        'kubectl api-resources --api-group=nothing.example.com',
      ],
    },
    {
      name: 'version',
      steps: [
        'kubectl version | tail -1',
        'kubectl version -o json | sed -n \'s/.*"\\(gitVersion\\|minor\\)": //p\' | tail -2',
        'kubectl get --raw /version | grep -o gitVersion.*,..gitCommit | cut -c1-24',
      ],
    },
    { name: 'cluster-info', steps: ['kubectl cluster-info | head -1'] },
    { name: 'explain-pod', steps: ['kubectl explain pod'] },
    { name: 'explain-container', steps: ['kubectl explain pod.spec.containers'] },
    {
      name: 'explain-enum',
      steps: [
        'kubectl explain pod.spec.restartPolicy',
        'kubectl explain svc.spec.type',
        'kubectl explain deploy.spec.strategy.type',
      ],
    },
    {
      name: 'explain-fields',
      steps: [
        'kubectl explain deploy.spec.replicas',
        'kubectl explain pod.spec.containers.resources.limits',
        'kubectl explain pod.metadata.creationTimestamp',
        'kubectl explain pod.spec.volumes.configMap.items',
        'kubectl explain svc.spec.ports.targetPort',
      ],
    },
    {
      name: 'explain-recursive',
      steps: ['kubectl explain pdb --recursive', 'kubectl explain cm --recursive'],
    },
    {
      name: 'explain-pod-recursive',
      steps: ['kubectl explain pod.spec --recursive | sort | uniq -c | sort -rn | head -60'],
    },
    {
      name: 'explain-workloads',
      steps: ['kubectl explain deploy.spec', 'kubectl explain job.spec', 'kubectl explain sts.spec'],
    },
    {
      name: 'explain-policies',
      steps: [
        'kubectl explain validatingadmissionpolicy.spec',
        'kubectl explain mutatingadmissionpolicy.spec.mutations',
      ],
    },
    {
      name: 'explain-version',
      steps: [
        'kubectl explain hpa --api-version=autoscaling/v1',
        'kubectl explain hpa.spec.metrics',
        'kubectl explain cronjob --api-version=batch/v1',
      ],
    },
    {
      name: 'explain-wrong',
      steps: [
        'kubectl explain pod.spec.nothing',
        'kubectl explain nothing',
        'kubectl explain pod.metadata.labels.app',
        'kubectl explain',
      ],
    },
    {
      name: 'explain-crd',
      steps: [
        setup('kubectl apply -f gizmos.yaml'),
        until('kubectl wait crd/gizmos.$NS.example.com --for=condition=Established', /condition met/),
        until('kubectl explain gizmos.$NS.example.com', /Gizmo is a toy/),
        'kubectl explain gizmos.$NS.example.com.spec',
        'kubectl explain gizmos.$NS.example.com --recursive',
        'kubectl explain gizmos.$NS.example.com.spec.colour',
      ],
      after: ['kubectl delete crd gizmos.$NS.example.com'],
    },
    {
      name: 'crd-in-api-resources',
      steps: [
        setup('kubectl apply -f gizmos.yaml'),
        until('kubectl wait crd/gizmos.$NS.example.com --for=condition=Established', /condition met/),
        until('kubectl api-resources --api-group=$NS.example.com', /gizmos/),
        'kubectl api-resources --api-group=$NS.example.com -o wide',
        'kubectl api-versions | grep $NS',
        'kubectl get --raw /apis/$NS.example.com/v1',
      ],
      after: ['kubectl delete crd gizmos.$NS.example.com'],
    },
    {
      name: 'openid',
      steps: [
        'kubectl get --raw /.well-known/openid-configuration | tr , "\\n" | grep -v -e issuer -e jwks_uri',
        'kubectl get --raw /openid/v1/jwks | tr , "\\n" | grep -e alg -e use -e kty',
      ],
    },
    {
      name: 'metrics',
      steps: [
        "kubectl get --raw /metrics | grep -c -e '^apiserver_request_total{' | sed 's/[1-9][0-9]*/some/'",
        "kubectl get --raw /metrics | grep -E '^# (HELP|TYPE) (apiserver_request_total|apiserver_request_duration_seconds|apiserver_current_inflight_requests|apiserver_storage_objects|apiserver_resource_objects|apiserver_longrunning_requests|apiserver_response_sizes|process_start_time_seconds|process_cpu_seconds_total|process_resident_memory_bytes|process_open_fds|kubernetes_build_info|rest_client_requests_total) ' | sort",
      ],
    },
    {
      name: 'openapi',
      steps: [
        'kubectl get --raw /openapi/v3 | tr , "\\n" | grep -o \'"apis*/[a-z0-9./]*"\' | grep -v example.com | sort',
        'kubectl get --raw /openapi/v2 | grep -o \'"swagger": *"2.0"\'',
      ],
    },
    {
      name: 'api-groups',
      steps: [
        'kubectl get --raw /apis | grep -o \'"name":"[a-z0-9.]*"\' | grep -v -e example.com | sort',
        'kubectl get --raw /api | tr , "\\n" | head -4',
        'kubectl get --raw /apis/apps',
      ],
    },
  ],
};
