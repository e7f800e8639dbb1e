import { BlockList, connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Log } from '../http/serviceOptions.ts'

type Door = { readonly close: () => Promise<void> }

/** A container that is taken off a network and put back may have another address there. */
const lookAgainMs = 5_000

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
  )

/**
 * Opens a port of loopback at this machine's addresses in one network (`10.0.0.0/24`), and at no other:
 * whoever shares another network with it, a fork or a proxy, finds the port closed.
 */
export async function openToNetwork(
  { log, readAddresses = ownAddresses }: { log: Log; readAddresses?: () => readonly string[] },
  { network, port, everyMs = lookAgainMs }: { network: string; port: number; everyMs?: number },
): Promise<Door> {
  const [address = '', prefix] = network.split('/')
  const block = new BlockList()
  block.addSubnet(address, Number(prefix))
  const doors = new Map<string, Door>()

  async function look() {
    const found = new Set(readAddresses().filter((one) => block.check(one)))
    for (const [host, door] of doors) {
      if (found.has(host)) continue
      doors.delete(host)
      await door.close()
    }
    for (const host of found) if (!doors.has(host)) await open(host)
  }
  async function open(host: string) {
    try {
      doors.set(host, await openDoor({ host, port }))
      log.info({ host, port }, 'the operators listener is open to its network')
    } catch (err) {
      log.warn({ err, host, port }, 'the operators listener could not be opened to its network')
    }
  }

  let looking = look()
  await looking
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, everyMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await looking
      await Promise.all([...doors.values()].map((door) => door.close()))
    },
  }
}

async function openDoor({ host, port }: { host: string; port: number }): Promise<Door> {
  const callers = new Set<Socket>()
  const server = createServer((caller) => {
    const listener = connect(port, '127.0.0.1')
    callers.add(caller)
    for (const end of [caller, listener])
      end
        .on('error', () => end.destroy())
        .on('close', () => {
          callers.delete(caller)
          caller.destroy()
          listener.destroy()
        })
    caller.pipe(listener).pipe(caller)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const caller of callers) caller.destroy()
      await closed
    },
  }
}
