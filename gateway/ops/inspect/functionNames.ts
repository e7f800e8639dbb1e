import { toFunctionSelector } from 'viem'
import { formatAbiItem } from 'viem/utils'
import { swapExecutor, userProxyFactoryV6, userProxyV6 } from '../../../contracts/artifacts.ts'

/** Of tokens, wrapped currencies, routers, pools, their callbacks and vaults: what a swap mostly calls. */
const signatures = `
allowance(address,address)
approve(address,uint256)
approve(address,address,uint160,uint48)
balanceOf(address)
decimals()
deposit()
implementation()
permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
totalSupply()
transfer(address,uint256)
transferFrom(address,address,uint256)
transferFrom(address,address,uint160,address)
withdraw(uint256)
execute(bytes,bytes[])
execute(bytes,bytes[],uint256)
multicall(bytes[])
multicall(uint256,bytes[])
exactInput((bytes,address,uint256,uint256,uint256))
exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))
exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))
swapExactETHForTokens(uint256,address[],address,uint256)
swapExactTokensForETH(uint256,uint256,address[],address,uint256)
swapExactTokensForTokens(uint256,uint256,address[],address,uint256)
swapExactTokensForTokens(uint256,uint256,(address,address,bool,address)[],address,uint256)
getAmountOut(uint256,address)
getReserves()
swap(uint256,uint256,address,bytes)
uniswapV2Call(address,uint256,uint256,bytes)
fee()
globalState()
liquidity()
slot0()
swap(address,bool,int256,uint160,bytes)
algebraSwapCallback(int256,int256,bytes)
pancakeV3SwapCallback(int256,int256,bytes)
uniswapV3SwapCallback(int256,int256,bytes)
initialize((address,address,uint24,int24,address),uint160)
settle()
swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)
sync(address)
take(address,address,uint256)
unlock(bytes)
unlockCallback(bytes)
exchange(int128,int128,uint256,uint256)
exchange(uint256,uint256,uint256,uint256)
get_dy(int128,int128,uint256)
getPoolTokens(bytes32)
onSwap((uint8,address,address,uint256,bytes32,uint256,address,address,bytes),uint256,uint256)
sendTo(address,address,uint256)
settle(address,uint256)
swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)
swap((uint8,address,address,address,uint256,uint256,bytes))
swap(bool,address)
latestRoundData()
sellBase(address)
sellQuote(address)
`

const own = [swapExecutor, userProxyFactoryV6, userProxyV6].flatMap(({ abi }) =>
  abi.flatMap((item) => (item.type === 'function' ? [formatAbiItem(item)] : [])),
)
const known: ReadonlyMap<string, string> = new Map(
  [...signatures.trim().split('\n'), ...own].map((text) => [toFunctionSelector(text), text]),
)

/** The signature of a function that swaps use: what was meant, since whoever is called may read it as anything. */
export const functionOf = (selector: string): string | undefined => known.get(selector)
