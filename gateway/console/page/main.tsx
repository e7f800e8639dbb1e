import { render } from 'preact'
import { Shell } from './shell.tsx'
import { openRecent } from './state/recent.ts'

const root = document.getElementById('console')
if (!root) throw new Error('the document has no place for the console')
openRecent()
root.replaceChildren()
render(<Shell />, root)
