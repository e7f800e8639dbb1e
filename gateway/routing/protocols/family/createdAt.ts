import type { Hex } from 'viem'
import type { PoolCreation } from './poolFamily.ts'

/** A factory's event with both tokens indexed and the new pool's address as a word of its data. */
export function createdAt(topic: Hex, wordAt: number): PoolCreation {
  return {
    topic,
    hasTokenTopics: true,
    read({ topics, data }) {
      const [, topic0, topic1] = topics
      if (!topic0 || !topic1) return undefined
      const word = data.slice(2 + 64 * wordAt, 66 + 64 * wordAt)
      const tokens = [`0x${topic0.slice(26)}`, `0x${topic1.slice(26)}`]
      return word.length === 64 ? { tokens, address: `0x${word.slice(24)}` } : undefined
    },
  }
}
