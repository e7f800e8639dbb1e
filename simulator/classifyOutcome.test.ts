import { assert, suite } from '../fixtures/test.ts'
import { type CandidateResult, classifyHalt, classifyRefusal } from './classifyOutcome.ts'
import { createErrorTable } from './revertReason.ts'
import { unsupportedMark } from './systemOverrides.ts'

/** What anvil 1.7.1 says, and what a caller is told: a row for each kind. */
const s = suite('classify outcome')
const secret = 'https://provider.example/v2/k3y'
const refusals: readonly (readonly [code: number, message: string, told: string])[] = [
  [
    -32603,
    `failed to get storage for 0x1 at 2: error sending request for url (${secret})`,
    'rpc_error: the chain did not answer in time',
  ],
  [
    -32603,
    `failed to get account for 0x1: HTTP error 429 ${secret}`,
    'rpc_error: the chain did not answer in time',
  ],
  [
    -32603,
    `failed to get block hash for 7: ${secret}`,
    'rpc_error: the chain did not answer in time',
  ],
  [
    -32003,
    'Insufficient funds for gas * price + value',
    'failed: insufficient native balance for the value sent',
  ],
  [
    -32000,
    'intrinsic gas too high -- CallGasCostMoreThanGasLimit',
    'failed: gas cap is below the intrinsic gas of the calldata',
  ],
  [-32603, 'EVM error InvalidFEOpcode', 'unsupported: unsupported precompile'],
  [-32603, 'EVM error StackOverflow', 'failed: execution halted: StackOverflow'],
  [-32603, 'EVM error', 'failed: execution halted: unknown'],
  [-32603, 'internal error', 'rpc_error: the fork refused the simulation'],
  [-32602, 'EVM error StackOverflow', 'rpc_error: the fork refused the simulation'],
  [-32602, 'missing keys ["to"]', 'rpc_error: the fork refused the simulation'],
]
const tell = (result: CandidateResult) => {
  if (result.status === 'ok') return 'ok'
  return `${result.status === 'simulation_failed' ? 'failed' : result.cause}: ${result.reason}`
}

for (const [code, message, told] of refusals)
  s(`a refusal ${code} "${message.slice(0, 24)}…" is ${told}`, () => {
    const result = classifyRefusal({ ok: false, code, message, data: undefined })
    assert.is(tell(result), told)
    assert.not.match(JSON.stringify(result), 'k3y')
  })

const halt = {
  ok: false,
  gasUsed: 21_000n,
  returnData: '0x',
  message: 'execution failed',
  logs: [],
} as const
const halts: readonly (readonly [what: string, call: object, told: string])[] = [
  ['without data', {}, 'failed: execution reverted without a reason'],
  ['at the gas cap', { gasUsed: 2_000_000n }, 'failed: gas cap exceeded'],
  ['with data', { returnData: '0xdeadbeef' }, 'failed: execution reverted with 0xdeadbeef'],
  ['with a byte', { returnData: '0x01' }, 'failed: execution reverted with 0x01'],
  ['of a stand-in', { returnData: unsupportedMark }, 'unsupported: unsupported precompile'],
  ['at 0xfe', { message: 'InvalidFEOpcode' }, 'unsupported: unsupported precompile'],
]
for (const [what, call, told] of halts)
  s(`a call that ends ${what} is ${told}`, () => {
    const options = { gasCap: 2_000_000n, errors: createErrorTable([]) }
    assert.is(tell(classifyHalt({ ...halt, ...call }, options)), told)
  })
s.run()
