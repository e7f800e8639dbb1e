import { createFaultEdge } from '../faults/faultEndpoints.ts'
import { controlEndpoints } from './controlEndpoints.ts'

/** What a test does to a lab: to its chains, and to the requests of its services. */
export function createLabControl(parameters: Parameters<typeof controlEndpoints>[0]) {
  const { endpoints, interrupt } = createFaultEdge({ now: Date.now })
  return { endpoints: [...controlEndpoints(parameters), ...endpoints], interrupt }
}
