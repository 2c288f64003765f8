"""What programs with kopf, kr8s and lightkube do with a cluster; run by ../suite/python.ts.

Each function is one test, called with a namespace of its own. Prints a line `ok NAME` or `not ok NAME` with the traceback for each.
"""

import asyncio
import sys
import threading
import time
import traceback

import kopf
import kr8s
from kr8s.objects import ConfigMap, Deployment, Pod
from lightkube import Client, codecs
from lightkube.core.exceptions import ApiError
from lightkube.resources.core_v1 import ConfigMap as LightConfigMap
from lightkube.resources.core_v1 import Namespace

LIMIT_SECONDS = 60

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "sleeper", "labels": {"app": "sleeper"}},
    "spec": {
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {"name": "main", "image": "busybox", "command": ["sh", "-c", "echo ready; sleep 600"]}
        ],
    },
}


def eventually(is_so, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def test_kr8s(namespace):
    api = kr8s.api(namespace=namespace)
    pod = Pod({**POD, "metadata": {**POD["metadata"], "namespace": namespace}}, api=api)
    pod.create()
    pod.wait("condition=Ready", timeout=LIMIT_SECONDS)
    assert pod.exec(["sh", "-c", "echo $((40 + 2))"]).stdout.strip() == b"42"
    eventually(lambda: "ready" in list(pod.logs()), "the log has no line")
    pod.label({"tier": "front"})
    found = list(api.get("pods", namespace=namespace, label_selector={"tier": "front"}))
    assert [one.name for one in found] == ["sleeper"]
    pod.delete()
    pod.wait("delete", timeout=LIMIT_SECONDS)
    assert not pod.exists()


def test_kr8s_scale(namespace):
    api = kr8s.api(namespace=namespace)
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "s"}},
        "template": {"metadata": {"labels": {"app": "s"}}, "spec": POD["spec"] | {"restartPolicy": "Always"}},
    }
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "s", "namespace": namespace}, "spec": spec}
    deployment = Deployment(body, api=api)
    deployment.create()
    deployment.scale(2)
    eventually(lambda: deployment.refresh() or deployment.status.get("readyReplicas") == 2, "it was not scaled")
    deployment.delete()


def test_lightkube(namespace):
    client = Client(namespace=namespace, field_manager="lightkube")
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{ name: c, namespace: {namespace} }}\ndata: {{ k: one }}\n"
    (body,) = codecs.load_all_yaml(text)
    assert client.apply(body).data == {"k": "one"}
    body.data["k"] = "two"
    assert client.apply(body).data == {"k": "two"}
    for operation, got in client.watch(LightConfigMap, fields={"metadata.name": "c"}):
        assert (operation, got.data) == ("ADDED", {"k": "two"})
        break
    client.patch(LightConfigMap, "c", {"metadata": {"labels": {"a": "b"}}})
    assert [one.metadata.name for one in client.list(LightConfigMap, labels={"a": "b"})] == ["c"]
    client.delete(LightConfigMap, "c")
    try:
        client.get(LightConfigMap, "c")
        raise AssertionError("it is still there")
    except ApiError as error:
        assert error.status.code == 404
    assert client.get(Namespace, namespace).metadata.name == namespace


def test_kopf(namespace):
    """An operator: what is made, changed and deleted comes to its handlers, and the finalizer holds an object until then."""
    seen = []
    ours = {"labels": {"for": "kopf"}}

    @kopf.on.create("configmaps", **ours)
    def created(name, **_):
        seen.append(f"created {name}")
        return {"as": "wanted"}

    @kopf.on.field("configmaps", field="data.k", **ours)
    def changed(old, new, **_):
        seen.append(f"changed {old} {new}")

    @kopf.on.delete("configmaps", **ours)
    def deleted(name, **_):
        seen.append(f"deleted {name}")

    stop, ready = threading.Event(), threading.Event()
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False

    def operate():
        asyncio.run(
            kopf.operator(
                settings=settings, namespaces=[namespace],
                stop_flag=stop, ready_flag=ready, standalone=True,
            )
        )

    operator = threading.Thread(target=operate, daemon=True)
    operator.start()
    try:
        assert ready.wait(LIMIT_SECONDS), "the operator did not start"
        api = kr8s.api(namespace=namespace)
        metadata = {"name": "c", "namespace": namespace, "labels": {"for": "kopf"}}
        one = ConfigMap({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"k": "1"}}, api=api)
        one.create()
        eventually(lambda: "created c" in seen, f"not made: {seen}")
        eventually(lambda: one.refresh() or one.metadata.get("finalizers"), "it has no finalizer")
        one.patch({"data": {"k": "2"}})
        eventually(lambda: "changed 1 2" in seen, f"not changed: {seen}")
        one.delete()
        eventually(lambda: "deleted c" in seen and not one.exists(), f"not deleted: {seen}")
    finally:
        stop.set()
        operator.join(LIMIT_SECONDS)


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    failed = False
    for test in tests:
        namespace = test.__name__.replace("_", "-")
        try:
            Client().create(Namespace.from_dict({"metadata": {"name": namespace}}))
            test(namespace)
            print(f"ok {test.__name__}", flush=True)
        except Exception:
            failed = True
            print(f"not ok {test.__name__}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)


main()
