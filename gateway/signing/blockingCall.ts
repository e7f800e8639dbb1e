import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'

export type BlockingCall = { call(request: Uint8Array): Uint8Array; close(): Promise<void> }

type Message = {
  readonly request: Uint8Array
  readonly port: MessagePort
  /** One number: 1 once the answer is in the port. */
  readonly done: Int32Array<SharedArrayBuffer>
}
type Answer = { readonly value: Uint8Array } | { readonly problem: string }

/**
 * Asks a worker and waits for its answer, however it gets it: for a signature that a key service gives over
 * the network, taken inside the database transaction that takes the nonce. The process does nothing else
 * meanwhile, so the time is short and bounded.
 *
 * @param module a module that calls `answerBlockingCalls`
 */
export function createBlockingCall({
  module,
  data,
  timeoutMs = 2_000,
}: {
  readonly module: URL
  readonly data?: unknown
  readonly timeoutMs?: number | undefined
}): BlockingCall {
  const worker = new Worker(module, { workerData: data })
  worker.unref()
  return {
    call(request) {
      const { port1, port2 } = new MessageChannel()
      const done = new Int32Array(new SharedArrayBuffer(4))
      const message: Message = { request, port: port2, done }
      worker.postMessage(message, [port2])
      try {
        if (Atomics.wait(done, 0, 0, timeoutMs) === 'timed-out')
          throw new Error(`no answer within ${timeoutMs} ms`)
        const answer = receiveMessageOnPort(port1)?.message as Answer | undefined
        if (!answer || 'problem' in answer) throw new Error(answer?.problem ?? 'no answer')
        return answer.value
      } finally {
        port1.close()
      }
    },
    close: async () => void (await worker.terminate()),
  }
}

/** The worker's side. A refusal's text must be fit to be logged. */
export function answerBlockingCalls(
  parent: MessagePort,
  answer: (request: Uint8Array) => Promise<Uint8Array>,
): void {
  parent.on('message', async ({ request, port, done }: Message) => {
    const reply = await answer(request).then(
      (value): Answer => ({ value }),
      (error: Error): Answer => ({ problem: error.message }),
    )
    port.postMessage(reply)
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
  })
}
