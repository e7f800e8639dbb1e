/** The time by PostgreSQL's clock, as an expression: one for all machines. */
export const databaseNow = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
