/** What to do about a warning: words of the gateway's own sentences, and where to look. */
const advice: readonly (readonly [words: RegExp, todo: string])[] = [
  [/database/, 'Look at the database’s disk and log; charges are refused until it takes writes.'],
  [/rate limits/, 'Look at the Redis that REDIS_URL names.'],
  [/simulation fork|simulator/, 'Dry runs wait. Look at the forks’ memory and the node’s answers.'],
  [/behind|lag|head/, 'Look at the chain’s node: compare its head with another one’s.'],
  [/nonce/, 'Run forkyard relay history, and cancel or speed up what waits.'],
  [/balance|funds/, 'Fund the relayer’s account.'],
  [/pool/, 'See the Pools page for which, and why.'],
]

export const adviceFor = (warning: string) =>
  advice.find(([words]) => words.test(warning))?.[1] ?? 'The log has the details.'
