import type { WalletAnswer, WalletWork } from './wallet.worker.ts'

type Execution = Extract<WalletWork, { kind: 'execute' }>
export type Executed = Extract<WalletAnswer, { kind: 'executed' }>

/** Signing and decoding need much code and time: a worker has both, and is gone when it is done. */
function work(task: WalletWork): Promise<WalletAnswer> {
  const worker = new Worker(new URL('./wallet.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<WalletAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<WalletAnswer>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message || 'the wallet could not be loaded'))
    worker.postMessage(task)
  }).finally(() => worker.terminate())
}

export async function execute(task: Omit<Execution, 'kind'>): Promise<Executed> {
  const answer = await work({ kind: 'execute', ...task })
  if (answer.kind === 'executed') return answer
  throw new Error(answer.kind === 'failed' ? answer.sentence : 'the wallet did something else')
}

/** The call of the executor, in words. */
export async function decode(calldata: `0x${string}`): Promise<string> {
  const answer = await work({ kind: 'decode', calldata })
  if (answer.kind === 'decoded') return answer.text
  throw new Error(answer.kind === 'failed' ? answer.sentence : 'the wallet did something else')
}
