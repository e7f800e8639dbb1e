import { Command } from 'commander'
import { labOf, type StartOptions, withStartOptions } from './startOptions.ts'
import { labDown, labUp } from './upAndDown.ts'

/** `forkyard lab-up` and `forkyard lab-down`. */
export const upAndDownCommands = (print: (text: string) => void): readonly Command[] => [
  withStartOptions(
    new Command('lab-up').description('start the lab in the background, return when it is ready'),
  ).action((options: StartOptions) => labUp(labOf(options, print))),
  new Command('lab-down')
    .description('stop the lab of this folder')
    .action(() => labDown(labOf({}, print))),
]
