import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { globalSetup: ['./cluster.setup.ts'], testTimeout: 120_000 },
});
