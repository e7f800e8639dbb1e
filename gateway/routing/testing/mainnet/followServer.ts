import { profiles } from '../../../../fixtures/nodes/profiles/profiles.ts'
import { followMainnets } from './followMainnets.ts'

/** A process that follows both chains behind one profile, and tells its parent what came of it. */
const [name = '', ...numbers] = process.argv.slice(2)
const [runMs = 0, reorgs = 0, pools = 0] = numbers.map(Number)
const profile = (Object.keys(profiles) as (keyof typeof profiles)[]).find((each) => each === name)
if (!profile) throw new Error(`there is no profile ${name}`)
const followed = await followMainnets({ profile, runMs, reorgs, pools })
process.send?.(followed, () => process.disconnect())
