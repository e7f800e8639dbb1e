import { runZooSuite } from './testing/runZooSuite.ts'

await runZooSuite(8453)
