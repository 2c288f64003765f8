export default async function teardown() {
  await globalThis.cluster.close();
}
