import type { Dialect } from './dialect.ts'

/** What one process follows for all, and how often a leadership has changed hands. */
export const feedsSchema = ({ integer, table, keyedTable }: Dialect) => `
CREATE TABLE offices (
  name TEXT PRIMARY KEY,
  term ${integer} NOT NULL
) ${table};
CREATE TABLE feeds (
  feed TEXT PRIMARY KEY,
  term ${integer} NOT NULL,
  seq ${integer} NOT NULL,
  saved_seq ${integer} NOT NULL,
  head TEXT NOT NULL,
  confirmed_at_ms ${integer} NOT NULL
) ${table};
CREATE TABLE feed_changes (
  feed TEXT NOT NULL,
  seq ${integer} NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (feed, seq)
) ${keyedTable};
CREATE TABLE feed_entries (
  feed TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (feed, name)
) ${keyedTable};
`
