import { type Address, concat, getContractAddress, type Hex, pad } from 'viem'

/**
 * Address of an owner's execution proxy, deployed or not: what `UserProxyFactoryV6.predict` answers.
 * The clone's init code carries implementation and owner, and the owner is the CREATE2 salt too.
 */
export function predictProxy({
  factory,
  implementation,
  owner,
}: {
  readonly factory: Address
  readonly implementation: Address
  readonly owner: Address
}): Address {
  // solady's clone with immutable arguments: 0x0041 is its runtime size, 0x2d bytes and the owner's 20.
  const bytecode: Hex = concat([
    '0x6100413d81600a3d39f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
    owner,
  ])
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt: pad(owner), bytecode })
}
