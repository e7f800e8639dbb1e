import { render } from 'preact'
import { Shell } from './shell.tsx'

const root = document.getElementById('console')
if (!root) throw new Error('the document has no place for the console')
root.replaceChildren()
render(<Shell />, root)
