import { useSignal } from '@preact/signals'
import { group, toHuman } from '../state/amounts.ts'
import { client, manifest, sentenceOf } from '../state/session.ts'
import { type Executed, execute } from '../state/wallet.ts'
import { Amount } from './amount.tsx'
import { Trouble, Wait } from './notes.tsx'
import type { Order } from './orderForm.tsx'

/** In a lab: one of its accounts approves and sends; then, what was delivered against what was promised. */
export function Execute({ order }: { readonly order: Order }) {
  const state = useSignal<Executed | 'sending' | undefined>(undefined)
  const failure = useSignal('')
  const account = useSignal(0)
  const chain = manifest.value?.chains[String(order.chainId)]
  if (!chain) return null
  async function send() {
    state.value = 'sending'
    failure.value = ''
    try {
      const { services, apiKey } = manifest.value ?? {}
      const by = chain?.accounts[account.value]
      if (!chain || !services || !by || !client.value) throw new Error('the lab has gone')
      const { chainId, tokenIn, tokenOut, amountIn } = order
      state.value = await execute({
        services,
        apiKey,
        rpcUrl: chain.rpcUrl,
        privateKey: by.privateKey,
        order: {
          chainId,
          tokenIn: tokenIn.address,
          tokenOut: tokenOut.address,
          amountIn,
          executor: chain.executor,
        },
      })
    } catch (error) {
      state.value = undefined
      failure.value = sentenceOf(error)
    }
  }
  return (
    <section aria-label="Execute">
      <h2>Execute in this lab</h2>
      <div class="row">
        <label>
          Account
          <select
            value={String(account.value)}
            onChange={(event) => {
              account.value = Number(event.currentTarget.value)
            }}
          >
            {chain.accounts.map(({ address }, index) => (
              <option key={address} value={String(index)}>
                {index}: {address.slice(0, 10)}…
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={send} disabled={state.value === 'sending'}>
          Execute
        </button>
      </div>
      {state.value === 'sending' && (
        <Wait>Approving where that is missing, sending, waiting …</Wait>
      )}
      {failure.value !== '' && <Trouble>Nothing was swapped: {failure.value}</Trouble>}
      {typeof state.value === 'object' && <Delivered done={state.value} order={order} />}
    </section>
  )
}

function Delivered({ done, order }: { readonly done: Executed; readonly order: Order }) {
  const { decimals, symbol } = order.tokenOut
  const gained = done.amountOut - done.promised
  return (
    <div role="status">
      <dl class="facts">
        <dt>Promised</dt>
        <dd>
          <Amount raw={done.promised} decimals={decimals} symbol={symbol} />
        </dd>
        <dt>Delivered</dt>
        <dd>
          <Amount raw={done.amountOut} decimals={decimals} symbol={symbol} />
          {gained === 0n ? ', to the last digit' : `, ${toHuman(gained, decimals)} of difference`}
        </dd>
        <dt>Gas used</dt>
        <dd class="figure">{group(String(done.gasUsed))}</dd>
        <dt>Transaction</dt>
        <dd class="figure">{done.txHash}</dd>
      </dl>
    </div>
  )
}
