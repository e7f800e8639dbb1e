import Table from 'cli-table3'

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: ' ',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

type Rows = {
  readonly head?: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Columns without lines, so that a row can be cut and pasted. */
export function toTable({ head = [], rows }: Rows) {
  const table = new Table({
    chars: noLines,
    head: [...head],
    style: { head: [], border: [], compact: true },
  })
  for (const row of rows) table.push([...row])
  return table.toString()
}

export function printTable(print: (text: string) => void, rows: Rows) {
  print(`${toTable(rows)}\n`)
}
