import type { Measured } from './costs.ts'
import type { Fleet } from './runFleet.ts'

const row = (rps: number, perTrip: number, micros: readonly [number, number, number]): Measured => {
  const [gatewayMicros, databaseMicros, clientMicros] = micros
  return { rps, perTrip, gatewayMicros, databaseMicros, clientMicros }
}

/** Questions of bench:scale, and how often a block makes them be searched anew. */
const [questions, blockEveryMs] = [84, 2_000]

/** `npm run -s bench:scale 1 3`, 2026-11-26, two cores: PostgreSQL, one gateway at rest and with blocks; then all. */
export const measured = {
  one: {
    alone: row(265, 0.5, [2_001, 1_143, 515]),
    few: row(776, 0.8, [918, 576, 188]),
    many: row(2_032, 4.6, [401, 200, 116]),
    moving: { ...row(1_508, 5.9, [575, 172, 116]), questions, blockEveryMs },
  },
  stacks: [
    { gateways: 1, rps: 1_508 },
    { gateways: 3, rps: 1_007 },
  ],
} as const

/** The fleet that bench:scale measures. */
export const bench = (gateways: number): Fleet => ({
  gateways,
  machines: 'together',
  cores: 2,
  databases: 1,
  chains: 1,
  blockEveryMs,
  questions,
  popularity: 'even',
  sharing: 'in turn',
  load: { kind: 'closed', clients: 33 },
})
