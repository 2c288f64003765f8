/** The packages are ES modules: run Jest by `node --experimental-vm-modules node_modules/jest/bin/jest.js`. */
export default {
  globalSetup: './cluster.setup.js',
  globalTeardown: './cluster.teardown.js',
  testTimeout: 120_000,
  transform: {},
};
