import type { GCProfiler } from 'node:v8'

/** Bytes in use when a collection began and when it had ended. */
export type Collection = { readonly beforeBytes: number; readonly afterBytes: number }

/** Bytes in use at its beginning and its end, and the collections that came between. */
export type Stretch = {
  readonly fromBytes: number
  readonly untilBytes: number
  readonly collections: readonly Collection[]
}

/** Bytes that were allocated meanwhile, those that are gone again among them. */
export function sumAllocated({ fromBytes, untilBytes, collections }: Stretch): number {
  let [allocated, last] = [0, fromBytes]
  for (const { beforeBytes, afterBytes } of collections) {
    allocated += beforeBytes - last
    last = afterBytes
  }
  return allocated + untilBytes - last
}

type Turn = Omit<Stretch, 'fromBytes'> & { readonly nextFromBytes: number }

/** Ends one stretch and begins the next. Runs in the process that is looked at, where nothing of this file is known. */
function turn(): Turn {
  const v8 = process.getBuiltinModule('node:v8')
  const readBytes = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const untilBytes = readBytes()
  // Nothing but this function knows the name.
  const place = globalThis as { forkyardCollections?: GCProfiler }
  const statistics = place.forkyardCollections?.stop().statistics ?? []
  const collections = statistics.map(({ beforeGC, afterGC }) => {
    const [before, after] = [beforeGC.heapStatistics, afterGC.heapStatistics]
    return {
      beforeBytes: before.usedHeapSize + before.externalMemory,
      afterBytes: after.usedHeapSize + after.externalMemory,
    }
  })
  // What another thread frees after a collection would hide as much that is allocated.
  v8.setFlagsFromString('--no-concurrent-array-buffer-sweeping')
  place.forkyardCollections = new v8.GCProfiler()
  place.forkyardCollections.start()
  return { untilBytes, collections, nextFromBytes: readBytes() }
}

/**
 * Bytes of objects and of buffers that the main thread of a process has allocated since it was first asked.
 * `evaluate` answers with the value that an expression has there.
 */
export function createAllocationReader(evaluate: (expression: string) => Promise<unknown>) {
  let allocated = 0
  let fromBytes: number | undefined
  return async (): Promise<number> => {
    // The shape that this very expression makes.
    const { nextFromBytes, ...rest } = (await evaluate(`(${turn})()`)) as Turn
    if (fromBytes !== undefined) allocated += sumAllocated({ fromBytes, ...rest })
    fromBytes = nextFromBytes
    return allocated
  }
}
