import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { sql } from './program.ts'

/** Migration 17. What endpoints take, as their refusals have told; losing it costs some refusals only. */
export const nodeLimitsSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE node_limits (
  endpoint TEXT NOT NULL PRIMARY KEY,
  limits TEXT NOT NULL,
  learned_at_ms ${integer} NOT NULL
) ${keyedTable};
`

export type NodeLimitsStore = {
  /** The owner's own text, of an endpoint by a name that holds none of its URL; undefined: too old, or none. */
  read(endpoint: string, learnedSinceMs: number): Promise<string | undefined>
  write(
    endpoint: string,
    learned: { readonly limits: string; readonly atMs: number },
  ): Promise<void>
}

const find = sql<{ limits: string }>(
  'SELECT limits FROM node_limits WHERE endpoint = ? AND learned_at_ms >= ?',
)
const put = sql(
  `INSERT INTO node_limits (endpoint, limits, learned_at_ms) VALUES (?, ?, ?)
   ON CONFLICT (endpoint) DO UPDATE
     SET limits = excluded.limits, learned_at_ms = excluded.learned_at_ms`,
)

export function createNodeLimits(engine: Engine): NodeLimitsStore {
  return {
    read: (endpoint, sinceMs) =>
      engine.read(() => find.get(endpoint, sinceMs)).then((row) => row?.limits),
    write: async (endpoint, { limits, atMs }) => {
      await engine.write(() => put.run(endpoint, limits, atMs))
    },
  }
}
