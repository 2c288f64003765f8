"""What a Python program does with a cluster; run by ../python.test.ts with Debian's python3-kubernetes.

Each function is one test: it is called with a namespace of its own and raises when something is not as it should be.
Prints a line `ok NAME` or `not ok NAME` with the traceback for each.
"""

import datetime
import sys
import threading
import traceback

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

LIMIT_SECONDS = 30


def pod(name, *command):
    container = client.V1Container(name="main", image="busybox", command=list(command))
    spec = client.V1PodSpec(
        containers=[container], restart_policy="Never", termination_grace_period_seconds=0
    )
    return client.V1Pod(metadata=client.V1ObjectMeta(name=name, labels={"app": name}), spec=spec)


def until(api, namespace, name, wanted, **options):
    """Watches a pod until it is as wanted."""
    stream = watch.Watch()
    for event in stream.stream(
        api.list_namespaced_pod,
        namespace,
        field_selector=f"metadata.name={name}",
        timeout_seconds=LIMIT_SECONDS,
        **options,
    ):
        if wanted(event):
            stream.stop()
            return event["object"]
    raise AssertionError(f"pod {name} did not become as wanted")


def test_crud(namespace):
    api = client.CoreV1Api()
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="c", labels={"a": "b"}), data={"k": "1"})
    made = api.create_namespaced_config_map(namespace, body)
    assert made.metadata.uid and isinstance(made.metadata.creation_timestamp, datetime.datetime)
    made.data["k"] = "2"
    replaced = api.replace_namespaced_config_map("c", namespace, made)
    assert replaced.data == {"k": "2"}
    try:
        api.replace_namespaced_config_map("c", namespace, made)
        raise AssertionError("an old version was taken")
    except ApiException as error:
        assert error.status == 409 and error.reason == "Conflict", error
    patched = api.patch_namespaced_config_map("c", namespace, {"data": {"k": None, "l": "3"}})
    assert patched.data == {"l": "3"}
    operations = [{"op": "add", "path": "/metadata/labels/x", "value": "y"}]
    patched = api.patch_namespaced_config_map("c", namespace, operations)
    assert patched.metadata.labels == {"a": "b", "x": "y"}
    assert [item.metadata.name for item in api.list_namespaced_config_map(namespace, label_selector="x in (y)").items] == ["c"]
    page = api.list_config_map_for_all_namespaces(limit=1)
    assert len(page.items) == 1 and page.metadata._continue
    api.delete_namespaced_config_map("c", namespace)
    try:
        api.read_namespaced_config_map("c", namespace)
        raise AssertionError("a deleted object was found")
    except ApiException as error:
        assert error.status == 404 and '"reason":"NotFound"' in error.body, error.body


def test_watch(namespace):
    api = client.CoreV1Api()
    version = api.list_namespaced_config_map(namespace).metadata.resource_version

    def change():
        for name in ["a", "b"]:
            api.create_namespaced_config_map(namespace, {"metadata": {"name": name}})
        api.patch_namespaced_config_map("a", namespace, {"data": {"k": "1"}})
        api.delete_namespaced_config_map("b", namespace)

    worker = threading.Thread(target=change)
    worker.start()
    stream = watch.Watch()
    seen = []
    for event in stream.stream(
        api.list_namespaced_config_map, namespace, resource_version=version, timeout_seconds=LIMIT_SECONDS
    ):
        if event["object"].metadata.name in ["a", "b"]:
            seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 4:
            stream.stop()
    worker.join()
    assert seen == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")], seen


def test_pods_and_logs(namespace):
    api = client.CoreV1Api()
    api.create_namespaced_pod(namespace, pod("hello", "sh", "-c", "echo one; echo two"))
    ended = until(api, namespace, "hello", lambda event: event["object"].status.phase == "Succeeded")
    assert ended.status.container_statuses[0].state.terminated.exit_code == 0
    assert api.read_namespaced_pod_log("hello", namespace) == "one\ntwo\n"
    assert api.read_namespaced_pod_log("hello", namespace, tail_lines=1) == "two\n"
    lines = list(watch.Watch().stream(api.read_namespaced_pod_log, name="hello", namespace=namespace))
    assert lines == ["one", "two"], lines
    api.create_namespaced_pod(namespace, pod("stays", "sleep", "1000"))
    running = until(api, namespace, "stays", lambda event: event["object"].status.phase == "Running")
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="stays"))
    api.create_namespaced_pod_eviction("stays", namespace, eviction)
    version = running.metadata.resource_version
    until(api, namespace, "stays", lambda event: event["type"] == "DELETED", resource_version=version)


def test_workloads(namespace):
    apps = client.AppsV1Api()
    text = f"""
apiVersion: v1
kind: ConfigMap
metadata: {{ name: settings }}
data: {{ a: "1" }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{ name: web }}
spec:
  replicas: 1
  selector: {{ matchLabels: {{ app: web }} }}
  template:
    metadata: {{ labels: {{ app: web }} }}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{{ name: main, image: busybox, command: [sleep, "1000"] }}]
---
apiVersion: batch/v1
kind: Job
metadata: {{ name: once }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{ name: main, image: busybox, command: ["true"] }}]
"""
    objects = list(yaml.safe_load_all(text))
    utils.create_from_yaml(client.ApiClient(), yaml_objects=objects, namespace=namespace)
    try:
        utils.create_from_yaml(client.ApiClient(), yaml_objects=objects, namespace=namespace)
        raise AssertionError("what exists was created")
    except utils.FailToCreateError as error:
        assert [inner.status for inner in error.api_exceptions] == [409, 409, 409]
    for event in watch.Watch().stream(
        client.BatchV1Api().list_namespaced_job, namespace, timeout_seconds=LIMIT_SECONDS
    ):
        if event["object"].status.succeeded == 1:
            break
    else:
        raise AssertionError("the job did not complete")
    while True:
        scale = apps.read_namespaced_deployment_scale("web", namespace)
        scale.spec.replicas = 2
        try:
            apps.replace_namespaced_deployment_scale("web", namespace, scale)
            break
        except ApiException as error:
            # The controller writes the deployment's status meanwhile.
            if error.status != 409:
                raise
    for event in watch.Watch().stream(apps.list_namespaced_deployment, namespace, timeout_seconds=LIMIT_SECONDS):
        if event["object"].status.ready_replicas == 2:
            break
    else:
        raise AssertionError("the deployment did not become ready")
    apps.delete_namespaced_deployment("web", namespace, propagation_policy="Foreground")


def test_custom_objects(namespace):
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.py.example.com"},
        "spec": {
            "group": "py.example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "x-kubernetes-preserve-unknown-fields": True,
                            "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                        }
                    },
                }
            ],
        },
    }
    client.ApiextensionsV1Api().create_custom_resource_definition(definition)
    api = client.CustomObjectsApi()
    where = ("py.example.com", "v1", namespace, "things")
    thing = {"apiVersion": "py.example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": 1}}
    made = api.create_namespaced_custom_object(*where, thing)
    assert made["metadata"]["generation"] == 1
    patched = api.patch_namespaced_custom_object(*where, "t", {"spec": {"b": [2]}})
    assert patched["spec"] == {"a": 1, "b": [2]}
    api.patch_namespaced_custom_object_status(*where, "t", {"status": {"phase": "Done"}})
    found = api.get_namespaced_custom_object(*where, "t")
    assert found["status"] == {"phase": "Done"} and found["metadata"]["generation"] == 2
    assert len(api.list_namespaced_custom_object(*where)["items"]) == 1
    events = watch.Watch().stream(api.list_namespaced_custom_object, *where, timeout_seconds=LIMIT_SECONDS)
    assert next(iter(events))["object"]["metadata"]["name"] == "t"
    api.delete_namespaced_custom_object(*where, "t")


def test_dynamic(namespace):
    api = dynamic.DynamicClient(client.ApiClient())
    deployments = api.resources.get(api_version="apps/v1", kind="Deployment")
    assert deployments.namespaced and "deploy" in deployments.short_names
    config_maps = api.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d"}, "data": {"a": "1"}}
    config_maps.create(body=body, namespace=namespace)
    patch = {"data": {"b": "2"}}
    patched = config_maps.patch(
        name="d", namespace=namespace, body=patch, content_type="application/merge-patch+json"
    )
    assert patched.to_dict()["data"] == {"a": "1", "b": "2"}
    assert any(item.metadata.name == "d" for item in config_maps.get(namespace=namespace).items)
    config_maps.delete(name="d", namespace=namespace)


def test_leader_election(namespace):
    led = threading.Event()
    lock = ConfigMapLock("leader", namespace, "one")

    def lead():
        led.set()
        # The library's way out of its loop is the end of its thread.
        sys.exit()

    settings = electionconfig.Config(
        lock, lease_duration=5, renew_deadline=3, retry_period=1, onstarted_leading=lead, onstopped_leading=None
    )
    election = leaderelection.LeaderElection(settings)
    assert election.try_acquire_or_renew()
    held = client.CoreV1Api().read_namespaced_config_map("leader", namespace)
    assert '"holderIdentity": "one"' in held.metadata.annotations["control-plane.alpha.kubernetes.io/leader"]
    other = electionconfig.Config(
        ConfigMapLock("leader", namespace, "two"),
        lease_duration=5,
        renew_deadline=3,
        retry_period=1,
        onstarted_leading=lead,
        onstopped_leading=None,
    )
    assert not leaderelection.LeaderElection(other).try_acquire_or_renew()
    assert election.try_acquire_or_renew()


def test_versions_and_rights(namespace):
    assert client.VersionApi().get_code().minor == "36"
    assert "apps" in [group.name for group in client.ApisApi().get_api_versions().groups]
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(
            resource_attributes=client.V1ResourceAttributes(verb="delete", resource="pods", namespace=namespace)
        )
    )
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed
    account = client.CoreV1Api().create_namespaced_service_account(namespace, {"metadata": {"name": "robot"}})
    assert account.metadata.name == "robot"


def main():
    config.load_kube_config()
    api = client.CoreV1Api()
    failed = False
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        namespace = name.replace("_", "-")
        try:
            api.create_namespace({"metadata": {"name": namespace}})
            for event in watch.Watch().stream(
                api.list_namespaced_service_account, namespace, timeout_seconds=LIMIT_SECONDS
            ):
                if event["object"].metadata.name == "default":
                    break
            test(namespace)
            print(f"ok {name}", flush=True)
        except Exception:
            failed = True
            print(f"not ok {name}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
