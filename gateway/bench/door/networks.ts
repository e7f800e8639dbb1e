import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Starts a program where networks, mounts and processes are its own, and end with it. */
export const apart = 'unshare --net --mount --pid --mount-proc --fork --kill-child'.split(' ')

const last = cpus().length - 1
const onProcessors = (list: string) => ['taskset', '-c', list]

/** Strangers are other machines: the last processor is theirs, and the others are everybody else's. */
export const ofStrangers = onProcessors(`${last}`)
export const ofOthers = onProcessors(`0-${Math.max(0, last - 1)}`)

/** Where the door listens, by family. */
export const doors = { ipv4: '192.0.2.1', ipv6: '2001:db8::1' } as const

const hex = (value: number) => value.toString(16)

/** Addresses on the strangers' side by their number. */
export const addressesOf = {
  ipv4: (at: number) => `198.18.${at >> 8}.${at & 255}`,
  /** Of one /64. */
  network: (at: number) => `2001:db8:8000::${hex(at + 1)}`,
  /** Each of another /64 of one /48. */
  networks: (at: number) => `2001:db8:8001:${hex(at)}::1`,
  /** Each of another /48. */
  sites: (at: number) => `2001:db8:${hex(0x9000 + at)}::1`,
} as const
export type AddressKind = keyof typeof addressesOf
const networksOfStrangers = { ipv4: '198.18.0.0/16', ipv6: '2001:db8:8000::/33' } as const

function ip(args: readonly string[], lines: readonly string[]) {
  execFileSync('ip', [...args, '-batch', '-'], { input: lines.join('\n') })
}

/** Starts a program in a network of this name. */
export const inNetwork = (name: string) => ['ip', 'netns', 'exec', name]

/** A network namespace at the other end of a link. The door is reached by a route, as from the internet. */
function join(name: string, number: number) {
  const [near, far] = [`10.0.${number}.1`, `10.0.${number}.2`]
  const [near6, far6] = [`fd00:${number}::1`, `fd00:${number}::2`]
  ip(
    [],
    [
      `netns add ${name}`,
      `link add ${name} type veth peer name door netns ${name}`,
      `address add ${near}/30 dev ${name}`,
      `address add ${near6}/64 dev ${name} nodad`,
      `link set ${name} up`,
    ],
  )
  ip(
    ['-n', name],
    [
      'link set lo up',
      `address add ${far}/30 dev door`,
      `address add ${far6}/64 dev door nodad`,
      'link set door up',
      `route add default via ${near}`,
      `route add default via ${near6}`,
    ],
  )
  return { far, far6 }
}

/**
 * Two networks, `honest` and `strangers`, joined to that of this process, which is the door's. Their names are this
 * process' alone: its mounts must be its own.
 */
export function joinNetworks() {
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', '/run'])
  ip(
    [],
    [
      'link set lo up',
      `address add ${doors.ipv4}/32 dev lo`,
      `address add ${doors.ipv6}/128 dev lo`,
    ],
  )
  join('honest', 1)
  const { far, far6 } = join('strangers', 2)
  const { ipv4, ipv6 } = networksOfStrangers
  ip([], [`route add ${ipv4} via ${far}`, `route add ${ipv6} via ${far6}`])
  ip(
    ['-n', 'strangers'],
    Object.values(networksOfStrangers).map((addresses) => `route add local ${addresses} dev lo`),
  )
  const [program = '', ...args] = inNetwork('strangers')
  const bindToAny = 'echo 1 >/proc/sys/net/ipv6/ip_nonlocal_bind'
  execFileSync(program, [...args, 'sh', '-c', bindToAny])
}
