import { extname, join } from 'node:path'

const extension = extname(import.meta.filename)

/** A checkout runs its TypeScript and makes what it lacks; the installed package is compiled and whole. */
export const isCheckout = extension === '.ts'

/** Path of one of our own modules, as it stands here: `.ts` in a checkout, `.js` in a package. */
export const modulePath = (dir: string, name: string) => join(dir, `${name}${extension}`)
