import { Type } from 'typebox'
import { chains } from '../../chain/chains.ts'
import * as schemas from '../../http/schemas.ts'

/** Request and answer of the size and shape of `POST /quote`: about 250 bytes in and 1.6 kB out. */
export const QuoteBody = Type.Object({
  chain_id: schemas.chainId(chains.map(({ chainId }) => chainId)),
  token_in: schemas.address(),
  token_out: schemas.address(),
  amount_in: schemas.positiveUint256(),
  slippage_bps: schemas.slippageBps(),
  taker: Type.Optional(schemas.address()),
})

export const quoteBody = JSON.stringify({
  chain_id: 8453,
  token_in: '0x4200000000000000000000000000000000000006',
  token_out: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount_in: '1000000000000000000',
  slippage_bps: 50,
  taker: '0xBcd4042DE499D14e55001CcbB24a551F3b954096',
})

export const quoteAnswer = {
  dex: 'forkyard',
  output: '2731558211',
  gas_estimate: '131022',
  source: 'local',
  route_path: 'WETH>[UniV3:500]>USDC',
  price_impact_bps: 3,
  pool_grades: ['A'],
  router: '0x03F4B3a9ADDCb22e718a21D6042e94fc8a30a1fD',
  calldata: `0x${'ab'.repeat(300)}`,
  execution: { calldata: `0x${'ab'.repeat(300)}`, value: '0x0' },
}

const calldata = `0x${'ab'.repeat(2_200)}`
const step = {
  protocol: 'uniswap_v3',
  dex: 'uniswap-v3',
  pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
  token_in: '0x4200000000000000000000000000000000000006',
  token_out: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  fee_pips: 500,
  amount_in: '1000000000000000000',
  amount_out: '2731558211',
  path: 0,
  share_bps: 10_000,
}

/** Of the size of a route of seven steps: 12 kB. */
export const longQuoteAnswer = {
  ...quoteAnswer,
  calldata,
  execution: { calldata, value: '0x0' },
  steps: Array.from({ length: 7 }, () => step),
}
