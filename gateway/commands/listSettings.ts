import { Command } from 'commander'
import { describeSettings } from '../config/settings.ts'

export const configCommand = (print: (text: string) => void): Command =>
  new Command('config').description('list every setting with its default').action(() => {
    for (const { name, fallback, description } of describeSettings())
      print(`${name}=${fallback}  # ${description}\n`)
  })
