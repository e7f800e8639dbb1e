import { nextTick } from 'node:process'
import type { Address, Hex } from 'viem'
import type { ReadDeps } from './poolRef.ts'
import { type Scanned, scanLogs } from './scanLogs.ts'

type Asked = {
  readonly address: readonly Address[]
  readonly topic: Hex
  readonly fromBlock: bigint
  readonly toBlock: bigint
}
type Gathered = { asked: readonly Asked[]; readonly scanned: Promise<Scanned> }

const gathering = new WeakMap<ReadDeps['client'], Map<string, Gathered>>()

/** Events of contracts over many blocks: those of one kind that are asked for in one turn of the event loop are scanned once. */
export async function scanTogether(
  deps: Pick<ReadDeps, 'client' | 'others'>,
  asked: Asked,
): Promise<Scanned> {
  const open = gathering.get(deps.client) ?? new Map<string, Gathered>()
  gathering.set(deps.client, open)
  const name = `${asked.topic} ${asked.toBlock}`
  const gathered = open.get(name) ?? begin(deps, { name, open, asked })
  gathered.asked = [...gathered.asked, asked]
  const { logs, isWhole } = await gathered.scanned
  const own = new Set(asked.address.map(toLower))
  return { logs: logs.filter(({ address }) => own.has(toLower(address))), isWhole }
}

function begin(
  deps: Pick<ReadDeps, 'client' | 'others'>,
  {
    name,
    open,
    asked: { topic, toBlock },
  }: { readonly name: string; readonly open: Map<string, Gathered>; readonly asked: Asked },
): Gathered {
  const scanned = new Promise<void>((resolve) => nextTick(resolve)).then(() => {
    open.delete(name)
    const { asked } = gathered
    const [first = toBlock] = asked.map(({ fromBlock }) => fromBlock).sort(byNumber)
    const address = [...new Set(asked.flatMap((one) => one.address))]
    return scanLogs(deps, { address, topics: [topic], fromBlock: first, toBlock })
  })
  const gathered: Gathered = { asked: [], scanned }
  open.set(name, gathered)
  return gathered
}

const toLower = (address: unknown) => String(address).toLowerCase()
const byNumber = (one: bigint, other: bigint) => (one < other ? -1 : 1)
