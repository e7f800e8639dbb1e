import { priceVectors } from './golden/priceVectors.ts'
import { readVectors } from './golden/readVectors.ts'

/**
 * `npm run -s golden -- DIR` prices the vector files of a folder, quotes of real contracts, with our
 * maths and prints the rows that differ. Exits with 1 where any does.
 */
const shownDifferences = 5

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function priceFolder(folder: string): boolean {
  let equal = 0
  let different = 0
  for (const file of readVectors(folder)) {
    const report = priceVectors(file)
    if (report.status === 'unsupported') {
      print(`${file.name}: unsupported family (${file.protocol.slice(0, 60)})`)
      continue
    }
    const { differences } = report
    equal += report.equal
    different += differences.length
    print(`${file.name}: ${report.equal} equal, ${differences.length} different`)
    for (const difference of differences.slice(0, shownDifferences)) print(`  ${difference}`)
  }
  print(`${equal} equal, ${different} different`)
  return different === 0
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  print('usage: npm run -s golden -- DIR')
  process.exitCode = 2
} else if (!priceFolder(folder)) process.exitCode = 1
