import type { Address } from 'viem'

/** Stands at this address on every chain: https://github.com/Arachnid/deterministic-deployment-proxy */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
