import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: vitest's own is extended.
  interface ProvidedContext {
    labUrl: string
  }
}

/** Vitest's browser mode. Without CHROMIUM it is the browser that `npx playwright install chromium` brings. */
const { CHROMIUM: executablePath, LAB_URL: labUrl = 'http://127.0.0.1:8090' } = process.env

export default defineConfig({
  // Named, so that nothing is loaded anew in the middle of a test.
  optimizeDeps: { include: ['viem', 'viem/accounts', 'viem/actions'] },
  test: {
    include: ['payPage.test.ts'],
    provide: { labUrl },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: executablePath ? { executablePath } : {} }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
