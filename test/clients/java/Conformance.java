import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Configuration;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What a Java program does with a cluster: run by ../suite/java.ts. Prints a line "ok NAME" or "not ok NAME" for each test. */
public class Conformance {
  private static final String NAMESPACE = "default";
  private static final long LIMIT_SECONDS = 60;

  private interface Test {
    void run() throws Exception;
  }

  private static void test(String name, Test test) {
    try {
      test.run();
      System.out.println("ok " + name);
    } catch (Throwable problem) {
      System.out.println("not ok " + name);
      problem.printStackTrace(System.out);
    }
  }

  private static void check(boolean isSo, String problem) {
    if (!isSo) throw new AssertionError(problem);
  }

  private static V1ConfigMap map(String name, String value) {
    return new V1ConfigMap()
        .apiVersion("v1")
        .kind("ConfigMap")
        .metadata(new V1ObjectMeta().name(name).namespace(NAMESPACE))
        .data(Map.of("k", value));
  }

  public static void main(String[] words) throws Exception {
    ApiClient client = Config.defaultClient();
    Configuration.setDefaultApiClient(client);
    CoreV1Api core = new CoreV1Api(client);
    GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps =
        new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);

    test("crud", () -> {
      core.createNamespacedConfigMap(NAMESPACE, map("crud", "1")).execute();
      V1ConfigMap read = core.readNamespacedConfigMap("crud", NAMESPACE).execute();
      check(read.getMetadata().getUid() != null, "it has no uid");
      core.replaceNamespacedConfigMap("crud", NAMESPACE, read.data(Map.of("k", "2"))).execute();
      try {
        core.replaceNamespacedConfigMap("crud", NAMESPACE, read).execute();
        check(false, "an old version was taken");
      } catch (ApiException problem) {
        check(problem.getCode() == 409, "code " + problem.getCode());
      }
      core.deleteNamespacedConfigMap("crud", NAMESPACE).execute();
    });

    test("generic", () -> {
      check(maps.create(map("generic", "1")).isSuccess(), "not made");
      V1Patch patch = new V1Patch("{\"data\":{\"k\":\"2\"}}");
      String merge = V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH;
      check("2".equals(maps.patch(NAMESPACE, "generic", merge, patch).getObject().getData().get("k")), "not patched");
      check(maps.get(NAMESPACE, "nothing").getHttpStatusCode() == 404, "not 404");
      check(maps.delete(NAMESPACE, "generic").isSuccess(), "not deleted");
    });

    test("informer", () -> {
      CountDownLatch added = new CountDownLatch(1);
      CountDownLatch updated = new CountDownLatch(1);
      CountDownLatch deleted = new CountDownLatch(1);
      SharedInformerFactory factory = new SharedInformerFactory(client);
      factory
          .sharedIndexInformerFor(maps, V1ConfigMap.class, 0)
          .addEventHandler(
              new ResourceEventHandler<V1ConfigMap>() {
                private boolean isOurs(V1ConfigMap one) {
                  return "watched".equals(one.getMetadata().getName());
                }

                public void onAdd(V1ConfigMap one) {
                  if (isOurs(one)) added.countDown();
                }

                public void onUpdate(V1ConfigMap before, V1ConfigMap one) {
                  if (isOurs(one)) updated.countDown();
                }

                public void onDelete(V1ConfigMap one, boolean isUnknown) {
                  if (isOurs(one)) deleted.countDown();
                }
              });
      factory.startAllRegisteredInformers();
      maps.create(map("watched", "1"));
      check(added.await(LIMIT_SECONDS, TimeUnit.SECONDS), "not added");
      maps.patch(NAMESPACE, "watched", V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, new V1Patch("{\"data\":{\"k\":\"2\"}}"));
      check(updated.await(LIMIT_SECONDS, TimeUnit.SECONDS), "not updated");
      maps.delete(NAMESPACE, "watched");
      check(deleted.await(LIMIT_SECONDS, TimeUnit.SECONDS), "not deleted");
      factory.stopAllRegisteredInformers();
    });
    System.exit(0);
  }
}
