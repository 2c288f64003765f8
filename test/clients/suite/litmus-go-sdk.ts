import assert from 'node:assert/strict';
import type { Client, ClientContext } from './client.ts';
import { Stage } from './stage.ts';

/** Packages of the SDK with tests, and what each of them tests; the test binary of the first has no suffix. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '': ['TestNewClient', 'TestListProjects', 'TestCreateProject'],
  environment: [
    ...['TestCreateEnvironment', 'TestListChaosEnvironments', 'TestGetChaosEnvironment'],
    'TestDeleteEnvironment',
  ],
  infrastructure: ['TestGetInfraList', 'TestConnectInfra', 'TestDisconnectInfra', 'TestGetServerVersion'],
  probe: [
    ...['TestCreateProbe', 'TestGetProbeRequest', 'TestListProbeRequest', 'TestGetProbeYAMLRequest'],
    'TestDeleteProbeRequest',
  ],
};

function binaryOf(name: string): string {
  return name === '' ? 'litmus-go-sdk.test' : `litmus-go-sdk-${name}.test`;
}

const EXPERIMENT = binaryOf('experiment');

/** Tests of LitmusChaos' SDK for Go, compiled (`go test -c`). */
export const LITMUS_GO_SDK: Client = {
  name: 'litmus-go-sdk',
  programs: [...Object.keys(PACKAGES).map(binaryOf), EXPERIMENT],
  covers:
    'its own integration tests, a server for each of the packages client, environment, infrastructure, probe and experiment',
  version: ({ programs }) => programs.notedVersion('litmus-go-sdk'),
  async run(context) {
    for (const [name, tests] of Object.entries(PACKAGES)) {
      const printed = await testsOf(context, binaryOf(name));
      for (const test of tests) {
        await context.checks.expected(test, () => {
          assert.match(printed, new RegExp(`^--- PASS: ${test} `, 'm'), printed.slice(-1_000));
        });
      }
    }
    const why =
      'as upstream’s server does, this one saves no experiment for an infrastructure without an agent, which the package needs before its tests';
    await context.checks.differs('package experiment', why, async () => {
      assert.match(await testsOf(context, EXPERIMENT), /experiment scheduling failed due to inactive infra/);
    });
  },
};

/** What the tests of a package print, on a server of their own: packages make infrastructures of the same name. */
async function testsOf({ program }: ClientContext, binary: string): Promise<string> {
  await using stage = await Stage.open();
  const { url, username, password } = await stage.controlPlane();
  const env = {
    LITMUS_TEST_ENDPOINT: url,
    LITMUS_TEST_USERNAME: username,
    LITMUS_TEST_PASSWORD: password,
  };
  const { stdout, stderr } = await stage.run(program(binary), ['-test.v'], { env });
  return stdout + stderr;
}
