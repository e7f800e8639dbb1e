import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../../../../.cache/vitest',
  test: {
    include: ['*.spec.ts'],
    globalSetup: 'forkyard/testing/vitest',
    hookTimeout: 180_000,
    testTimeout: 60_000,
  },
})
