import type { Config } from '../config/config.ts'

/** The settings of one chain; undefined where it is not configured. */
export const findChain = ({ chains }: Config, chainId: number) =>
  chains.find(({ chain }) => chain.chainId === chainId)
