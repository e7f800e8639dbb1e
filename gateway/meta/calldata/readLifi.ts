import { type Hex, toFunctionSelector, zeroAddress } from 'viem'
import { addressAt, payee, placeAt, TangledCalldata, wordAt } from './readBytesList.ts'

type Form = { readonly isSingle: boolean; readonly from: string; readonly to: string }

/** Whom it calls and approves, what it sends and receives, how much of it, by what call, and whether the caller pays. */
const step = '(address,address,address,address,uint256,bytes,bool)'
/** An id, an integrator, a referrer, who receives, and how much at least. */
const before = 'bytes32,string,string,address,uint256'

/** LI.FI's GenericSwapFacetV3: one step or many, from and to what is native or not. */
const forms: ReadonlyMap<string, Form> = new Map(
  [true, false].flatMap((isSingle) =>
    [
      ['ERC20', 'ERC20'],
      ['ERC20', 'Native'],
      ['Native', 'ERC20'],
    ].map(([from = '', to = '']) => {
      const name = `swapTokens${isSingle ? 'Single' : 'Multiple'}V3${from}To${to}`
      const signature = `${name}(${before},${isSingle ? step : `${step}[]`})`
      return [toFunctionSelector(`function ${signature}`), { isSingle, from, to }] as const
    }),
  ),
)
export const lifiSelectors: readonly string[] = [...forms.keys()]

const readStep = (data: Hex, at: number) => ({
  sent: addressAt(data, at + 64),
  received: addressAt(data, at + 96),
  amount: wordAt(data, at + 128),
  isDeposit: wordAt(data, at + 192) !== 0n,
})

/** Entries of a list may all name the same bytes: of each the first words are read, and nothing is copied. */
function listSteps(data: Hex, { isSingle }: Form) {
  const at = 4 + placeAt(data, 4 + 5 * 32)
  if (isSingle) return [{ ...readStep(data, at), isDeposit: true }]
  const start = at + 32
  return Array.from({ length: placeAt(data, at) }, (_, index) =>
    readStep(data, start + placeAt(data, start + 32 * index)),
  )
}

/** The least output counts in what the last step receives; each deposit is taken of the caller. */
export function readLifi(data: Hex) {
  const form = forms.get(data.slice(0, 10).toLowerCase())
  const steps = form ? listSteps(data, form) : []
  const last = steps.at(-1)
  if (!form || !last) throw new TangledCalldata('an order without steps')
  const order = {
    recipient: payee(addressAt(data, 4 + 3 * 32)),
    minAmountOut: wordAt(data, 4 + 4 * 32),
    tokenOut: form.to === 'Native' ? zeroAddress : last.received,
  }
  if (form.from === 'Native') return { ...order, tokenIn: zeroAddress, amountIn: undefined }
  const deposits = steps.filter(({ isDeposit }) => isDeposit)
  const [tokenIn, ...others] = new Set(deposits.map(({ sent }) => sent))
  if (others.length > 0) throw new TangledCalldata('it takes several tokens')
  return { ...order, tokenIn, amountIn: deposits.reduce((sum, { amount }) => sum + amount, 0n) }
}
