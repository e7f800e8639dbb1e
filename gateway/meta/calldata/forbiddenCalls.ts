import { type Hex, toFunctionSelector } from 'viem'
import { readBytesList, TangledCalldata } from './readBytesList.ts'
import { takesByRouter } from './routerCommands.ts'

/**
 * Calls that a swap's payload never is, whoever sends it: they move, lend or give away what the caller
 * has. By what they belong to, as the reason names it.
 */
export const forbiddenCalls = {
  'ERC-20': [
    'approve(address,uint256)',
    'transfer(address,uint256)',
    'transferFrom(address,address,uint256)',
    'increaseAllowance(address,uint256)',
    'decreaseAllowance(address,uint256)',
    'increaseApproval(address,uint256)',
    'decreaseApproval(address,uint256)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
    'permit(address,address,uint256,uint256,bytes)',
    'transferAndCall(address,uint256)',
    'transferAndCall(address,uint256,bytes)',
    'transferFromAndCall(address,address,uint256)',
    'transferFromAndCall(address,address,uint256,bytes)',
    'approveAndCall(address,uint256)',
    'approveAndCall(address,uint256,bytes)',
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
    'cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
    'cancelAuthorization(address,bytes32,bytes)',
    'burn(uint256)',
    'burn(uint256,bytes)',
    'burnFrom(address,uint256)',
    'delegate(address)',
    'delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)',
    'send(address,uint256,bytes)',
    'operatorSend(address,address,uint256,bytes,bytes)',
    'operatorBurn(address,uint256,bytes,bytes)',
    'authorizeOperator(address)',
    // Wrapped currency and vault shares.
    'withdraw(uint256)',
    'withdrawTo(address,uint256)',
    'deposit(uint256,address)',
    'mint(uint256,address)',
    'withdraw(uint256,address,address)',
    'redeem(uint256,address,address)',
  ],
  Permit2: [
    'approve(address,address,uint160,uint48)',
    'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
    'permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)',
    'transferFrom(address,address,uint160,address)',
    'transferFrom((address,address,uint160,address)[])',
    'permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)',
    'permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)',
    'permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)',
    'permitWitnessTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes32,string,bytes)',
    'lockdown((address,address)[])',
    'invalidateNonces(address,address,uint48)',
    'invalidateUnorderedNonces(uint256,uint256)',
  ],
  'ERC-721 or ERC-1155': [
    'setApprovalForAll(address,bool)',
    'safeTransferFrom(address,address,uint256)',
    'safeTransferFrom(address,address,uint256,bytes)',
    'safeTransferFrom(address,address,uint256,uint256,bytes)',
    'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
    'burn(address,uint256,uint256)',
    'burnBatch(address,uint256[],uint256[])',
    'permit(address,uint256,uint256,uint8,bytes32,bytes32)',
    'permit(address,uint256,uint256,uint256,bytes)',
    'permitForAll(address,address,bool,uint256,uint256,bytes)',
    // ERC-6909, as the claims of Uniswap v4 are.
    'setOperator(address,bool)',
    'approve(address,uint256,uint256)',
    'transfer(address,uint256,uint256)',
    'transferFrom(address,address,uint256,uint256)',
  ],
  lending: [
    // Aave and its forks, the packed forms of L2 too.
    'supply(address,uint256,address,uint16)',
    'supply(bytes32)',
    'supplyWithPermit(address,uint256,address,uint16,uint256,uint8,bytes32,bytes32)',
    'supplyWithPermit(bytes32,bytes32,bytes32)',
    'deposit(address,uint256,address,uint16)',
    'withdraw(address,uint256,address)',
    'withdraw(bytes32)',
    'borrow(address,uint256,uint256,uint16,address)',
    'borrow(bytes32)',
    'repay(address,uint256,uint256,address)',
    'repay(bytes32)',
    'repayWithATokens(address,uint256,uint256)',
    'repayWithATokens(bytes32)',
    'repayWithPermit(address,uint256,uint256,address,uint256,uint8,bytes32,bytes32)',
    'setUserUseReserveAsCollateral(address,bool)',
    'setUserUseReserveAsCollateral(bytes32)',
    'setUserEMode(uint8)',
    'liquidationCall(address,address,address,uint256,bool)',
    'flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)',
    'flashLoanSimple(address,address,uint256,bytes,uint16)',
    'approveDelegation(address,uint256)',
    'delegationWithSig(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'withdrawETH(address,uint256,address)',
    'borrowETH(address,uint256,uint256,uint16)',
    // Compound v2 and its forks.
    'mint(uint256)',
    'redeem(uint256)',
    'redeemUnderlying(uint256)',
    'borrow(uint256)',
    'repayBorrow(uint256)',
    'repayBorrowBehalf(address,uint256)',
    'liquidateBorrow(address,uint256,address)',
    'enterMarkets(address[])',
    'exitMarket(address)',
    // Compound v3.
    'supply(address,uint256)',
    'supplyTo(address,address,uint256)',
    'supplyFrom(address,address,address,uint256)',
    'withdraw(address,uint256)',
    'withdrawTo(address,address,uint256)',
    'withdrawFrom(address,address,address,uint256)',
    'transferAsset(address,address,uint256)',
    'transferAssetFrom(address,address,address,uint256)',
    'allow(address,bool)',
    'allowBySig(address,address,bool,uint256,uint256,uint8,bytes32,bytes32)',
    'buyCollateral(address,uint256,uint256,address)',
    'invoke(bytes32[],bytes[])',
    'invoke(uint256[],bytes[])',
    // Morpho Blue.
    'supply((address,address,address,address,uint256),uint256,uint256,address,bytes)',
    'withdraw((address,address,address,address,uint256),uint256,uint256,address,address)',
    'borrow((address,address,address,address,uint256),uint256,uint256,address,address)',
    'repay((address,address,address,address,uint256),uint256,uint256,address,bytes)',
    'supplyCollateral((address,address,address,address,uint256),uint256,address,bytes)',
    'withdrawCollateral((address,address,address,address,uint256),uint256,address,address)',
    'setAuthorization(address,bool)',
    'setAuthorizationWithSig((address,address,bool,uint256,uint256),(uint8,bytes32,bytes32))',
    'flashLoan(address,uint256,bytes)',
    // Euler's connector.
    'setAccountOperator(address,address,bool)',
    'setOperator(bytes19,address,uint256)',
    'enableController(address,address)',
    'enableCollateral(address,address)',
    'call(address,address,uint256,bytes)',
    'batch((address,address,uint256,bytes)[])',
    'borrow(uint256,address)',
    'repayWithShares(uint256,address)',
    'pullDebt(uint256,address)',
    // Silo's and Fluid's vaults.
    'borrow(uint256,address,address)',
    'withdraw(uint256,address,address,uint8)',
    'redeem(uint256,address,address,uint8)',
    'operate(uint256,int256,int256,address)',
    // Morpho's bundler, whom its users have authorized.
    'multicall((address,bytes,uint256,bool,bytes32)[])',
  ],
  // What a position holds goes wherever its owner's call says, and no event names the owner.
  'liquidity positions': [
    'mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))',
    'increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))',
    'decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))',
    'collect((uint256,address,uint128,uint128))',
    'modifyLiquidities(bytes,uint256)',
    'modifyLiquiditiesWithoutUnlock(bytes,bytes[])',
    // Balancer's vault.
    'joinPool(bytes32,address,address,(address[],uint256[],bytes,bool))',
    'exitPool(bytes32,address,address,(address[],uint256[],bytes,bool))',
    'manageUserBalance((uint8,address,uint256,address,address)[])',
    'setRelayerApproval(address,address,bool)',
    // BentoBox and its forks.
    'deposit(address,address,address,uint256,uint256)',
    'withdraw(address,address,address,uint256,uint256)',
    'transfer(address,address,address,uint256)',
    'transferMultiple(address,address,address[],uint256[])',
    'setMasterContractApproval(address,address,bool,uint8,bytes32,bytes32)',
  ],
  // What a wallet or an account of the caller's holds goes wherever its owner's call says.
  wallets: [
    'execute(address,bytes)',
    'execute(bytes,bytes)',
    'execute(address,uint256,bytes)',
    'execute(address,uint256,bytes,uint8)',
    'execute(bytes32,bytes)',
    'execute(uint256,address,uint256,bytes)',
    'execute((address,uint256,bytes)[])',
    'executeCall(address,uint256,bytes)',
    'executeBatch((address,uint256,bytes)[])',
    'executeBatch(address[],bytes[])',
    'executeBatch(address[],uint256[],bytes[])',
    'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
    'execTransactionFromModule(address,uint256,bytes,uint8)',
    'cast(string[],bytes[],address)',
    'transferOwnership(address)',
    'setOwner(address)',
  ],
  // Orders are filled by what the caller's conduit may take.
  orders: [
    'fulfillBasicOrder((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))',
    'fulfillOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes),bytes32)',
    'fulfillAdvancedOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),uint120,uint120,bytes,bytes),(uint256,uint8,uint256,uint256,bytes32[])[],bytes32,address)',
    'validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[])',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ForbiddenKind = keyof typeof forbiddenCalls

const kinds: ReadonlyMap<string, ForbiddenKind> = new Map(
  Object.entries(forbiddenCalls).flatMap(([kind, signatures]) =>
    signatures.map(
      (signature) => [toFunctionSelector(`function ${signature}`), kind as ForbiddenKind] as const,
    ),
  ),
)

/** Wrappers whose calls run on the target itself, for the same sender, and which argument these are. */
const multicalls: ReadonlyMap<string, number> = new Map(
  (
    [
      ['multicall(bytes[])', 0],
      ['multicall(uint256,bytes[])', 1],
      ['multicall(bytes32,bytes[])', 1],
      ['batch(bytes[],bool)', 0],
    ] as const
  ).map(([signature, argument]) => [toFunctionSelector(`function ${signature}`), argument]),
)
/** A multicall within a multicall, and so on: nobody honest goes deeper. */
const maxDepth = 3

/** Undefined where they cannot be read: contracts take places before the list, which nobody honest writes. */
function innerCalls(data: Hex, argument: number): readonly Hex[] | undefined {
  try {
    return readBytesList(data, { argument, behind: 4 })
  } catch (error) {
    if (error instanceof TangledCalldata) return undefined
    throw error
  }
}

/** What a payload calls that no swap does; undefined when it is none of these. */
export function findForbiddenCall(calldata: Hex, depth = 0): ForbiddenKind | undefined {
  const selector = calldata.slice(0, 10).toLowerCase()
  const kind = kinds.get(selector) ?? (takesByRouter(calldata) ? 'Permit2' : undefined)
  const argument = multicalls.get(selector)
  if (kind || argument === undefined) return kind
  const calls = innerCalls(calldata, argument)
  if (depth === maxDepth || !calls) return 'ERC-20'
  for (const inner of calls) {
    const found = findForbiddenCall(inner, depth + 1)
    if (found) return found
  }
  return undefined
}
