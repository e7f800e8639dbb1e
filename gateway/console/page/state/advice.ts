/** What to do about a warning: words of the gateway's own sentences, and where to look. */
const advice: readonly (readonly [words: RegExp, todo: string])[] = [
  [/database/, 'Look at the database’s disk and log; charges are refused until it takes writes.'],
  [/rate limits/, 'Look at the Redis that REDIS_URL names.'],
  [/simulation fork/, 'Dry runs wait. Look at the forks’ memory and the node’s answers.'],
  [/serves chain/, 'Correct that URL in the settings; it is asked nothing until then.'],
  [/not loaded/, 'Quotes of this chain wait for their first read. Look at the node’s answers.'],
  [/ s old/, 'Look at the chain’s node: compare its head with another one’s.'],
]

export const adviceFor = (warning: string) =>
  advice.find(([words]) => words.test(warning))?.[1] ?? 'The log has the details.'
