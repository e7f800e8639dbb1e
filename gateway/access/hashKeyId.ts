import { type Hex, keccak256, stringToBytes } from 'viem'

/** As the quota manager names a key: what is bought for it on the chain is bound to this. */
export const hashKeyId = (id: string): Hex => keccak256(stringToBytes(id))
