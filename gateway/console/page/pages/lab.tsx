import type { LabChain, LabManifest } from '../../../client/wire/ops.ts'
import { Deed } from '../parts/deed.tsx'
import { EventLine } from '../parts/eventLine.tsx'
import { Faults } from '../parts/faults.tsx'
import { Logs, Packs } from '../parts/labFolder.tsx'
import { Empty, Trouble } from '../parts/notes.tsx'
import { ChainField, chainOf, QueryForm, TextField } from '../parts/queryForm.tsx'
import { SnapshotTree } from '../parts/snapshotTree.tsx'
import { Table } from '../parts/table.tsx'
import { group, parseAmount } from '../state/amounts.ts'
import { place } from '../state/place.ts'
import { lab, manifest } from '../state/session.ts'

const native = '0x0000000000000000000000000000000000000000'

/** What one does to a lab: money, time, snapshots, faults. */
export function LabPage() {
  const facts = manifest.value
  const chainId = chainOf(place.value.query)
  const chain = facts?.chains[String(chainId)]
  if (!lab.value || !facts)
    return <Empty>This gateway is no lab: nothing of it can be changed from here.</Empty>
  return (
    <>
      <QueryForm submit="Show">
        <ChainField />
        <TextField name="fault" label="Faults with" isSearch />
      </QueryForm>
      {chain ? (
        <>
          <Faucet key={`faucet ${chainId}`} chainId={chainId} chain={chain} />
          <Time chainId={chainId} />
          <SnapshotTree chainId={chainId} />
          <Accounts chain={chain} />
        </>
      ) : (
        <Trouble>This lab has no chain {chainId}. Choose another.</Trouble>
      )}
      <Faults />
      <EventLine />
      <Packs />
      <Logs />
      <Facts facts={facts} chain={chain} />
    </>
  )
}

function Faucet({ chainId, chain }: { readonly chainId: number; readonly chain: LabChain }) {
  async function deal(field: (name: string) => string): Promise<string> {
    const token = chain.tokens[field('token')] ?? { address: native, decimals: 18 }
    const amount = parseAmount(field('amount'), token.decimals)
    if (amount === undefined) throw new Error('the amount has more digits than the token')
    const to = field('to') as `0x${string}`
    await lab.value?.deal({ chainId, token: token.address, to, amount: String(amount) })
    return `${to} has ${field('amount')} ${field('token')}.`
  }
  return (
    <section aria-label="Faucet">
      <h2>Faucet</h2>
      <Deed label="Faucet" submit="Make it so" work={deal}>
        <label>
          Account
          <input name="to" list="accounts" required autocomplete="off" placeholder="0x…" />
        </label>
        <label>
          has
          <input name="amount" inputMode="decimal" required autocomplete="off" />
        </label>
        <label>
          Token
          <select name="token">
            {['ETH', ...Object.keys(chain.tokens)].map((symbol) => (
              <option key={symbol}>{symbol}</option>
            ))}
          </select>
        </label>
        <datalist id="accounts">
          {chain.accounts.map(({ address }) => (
            <option key={address} value={address} />
          ))}
        </datalist>
      </Deed>
    </section>
  )
}

function Time({ chainId }: { readonly chainId: number }) {
  async function mine(field: (name: string) => string): Promise<string> {
    const blocks = Number(field('blocks'))
    await lab.value?.mine({ chainId, blocks })
    return `Mined ${blocks} blocks.`
  }
  async function warp(field: (name: string) => string): Promise<string> {
    const secs = Number(field('secs'))
    await lab.value?.warp({ chainId, secs })
    return `${secs} s have passed.`
  }
  return (
    <section aria-label="Time">
      <h2>Time</h2>
      <Deed label="Mine" submit="Mine" work={mine}>
        <label>
          Blocks
          <input name="blocks" type="number" min="1" value="1" required />
        </label>
      </Deed>
      <Deed label="Warp" submit="Let them pass" work={warp}>
        <label>
          Seconds
          <input name="secs" type="number" min="1" value="3600" required />
        </label>
      </Deed>
    </section>
  )
}

const list = (funded: LabChain['accounts'][number]['funded']) =>
  Object.entries(funded)
    .map(([symbol, amount]) => `${group(amount)} ${symbol}`)
    .join(', ')

function Accounts({ chain }: { readonly chain: LabChain }) {
  return (
    <section aria-label="Accounts">
      <h2>Accounts</h2>
      <Table label="Accounts of this chain" head={['Account', 'Began with', 'Key, public']}>
        {chain.accounts.map(({ address, funded, privateKey }) => (
          <tr key={address}>
            <th scope="row">{address}</th>
            <td class="hash" title={list(funded)}>
              {group(funded['ETH'] ?? '0')} ETH and {Object.keys(funded).length - 1} tokens
            </td>
            <td class="hash">{privateKey}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function Facts({
  facts,
  chain,
}: {
  readonly facts: LabManifest
  readonly chain: LabChain | undefined
}) {
  const { executor, quotaManager, proxyFactory, relayer, rpcUrl } = chain ?? {}
  const rows = { ...facts.services, rpcUrl, executor, quotaManager, proxyFactory, relayer }
  return (
    <section aria-label="Manifest">
      <h2>Manifest</h2>
      <dl class="facts">
        {Object.entries(rows).map(([name, value]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name}>{value ?? 'none'}</dd>,
        ])}
      </dl>
      <p class="small">
        Mode {facts.mode}, version {facts.version}, process {facts.pid}; all of it is at{' '}
        <a href="/lab/manifest">/lab/manifest</a>.
      </p>
    </section>
  )
}
