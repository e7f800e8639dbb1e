import type Docker from 'dockerode'

/**
 * The machine as containers on the default bridge see it: the way out of a container that runs there. The
 * bridge itself does not always tell: on an engine that was never started before it names no gateway.
 */
export async function readBridgeAddress(
  { docker }: { readonly docker: Docker },
  { image = 'forkyard' }: { readonly image?: string } = {},
): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    // Any program that stays for a moment: only its network is looked at.
    Entrypoint: ['node', '-e', 'setTimeout(() => {}, 60_000)'],
    HostConfig: { NetworkMode: 'bridge', CapDrop: ['ALL'] },
  })
  try {
    await container.start()
    const { NetworkSettings } = await container.inspect()
    return toAddress(NetworkSettings.Networks['bridge']?.Gateway)
  } finally {
    await container.remove({ force: true })
  }
}

/** An empty one would be every address to a server, and none to who asks it. */
export function toAddress(gateway: string | undefined): string {
  if (!gateway) throw new Error('the engine tells no gateway of its default bridge')
  return gateway
}
