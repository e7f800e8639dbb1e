import type Docker from 'dockerode'

/** Runs in a container of its own: tries each port of each host, prints those that take a connection. */
const program = `
const { connect } = require('node:net')
const { hosts, ports } = JSON.parse(process.argv[1])
const tryOne = (host, port) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 1500 }, () => { socket.destroy(); resolve([host, port]) })
  for (const end of ['error', 'timeout']) socket.on(end, () => { socket.destroy(); resolve(undefined) })
})
;(async () => {
  const open = []
  for (const host of hosts)
    for (let start = 0; start < ports.length; start += 500)
      open.push(...await Promise.all(ports.slice(start, start + 500).map((port) => tryOne(host, port))))
  process.stdout.write(JSON.stringify(open.filter(Boolean)))
})()`

/** Which `[host, port]` answer from a network namespace that has nothing to do with the stack. */
export async function scanPorts(
  { docker }: { readonly docker: Docker },
  {
    hosts,
    ports,
    network = 'bridge',
  }: {
    readonly hosts: readonly string[]
    readonly ports: readonly number[]
    readonly network?: string
  },
): Promise<readonly (readonly [string, number])[]> {
  const container = await docker.createContainer({
    Image: 'forkyard',
    Entrypoint: ['node', '-e', program, JSON.stringify({ hosts, ports })],
    HostConfig: { NetworkMode: network, CapDrop: ['ALL'] },
  })
  try {
    await container.start()
    const { StatusCode } = (await container.wait()) as { StatusCode: number }
    // Multiplexed: each chunk has a header of eight bytes.
    const log = await container.logs({ stdout: true, stderr: true })
    const text = log.toString('utf8')
    if (StatusCode !== 0) throw new Error(`the scan ended with ${StatusCode}: ${text}`)
    return JSON.parse(text.slice(text.indexOf('['))) as (readonly [string, number])[]
  } finally {
    await container.remove({ force: true })
  }
}
