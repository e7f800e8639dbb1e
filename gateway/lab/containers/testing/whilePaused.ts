import type { Container } from 'dockerode'

/** It goes on afterwards, whatever came of it: what waits for it would wait for ever. */
export async function whilePaused(container: Container, use: () => Promise<void>): Promise<void> {
  await container.pause()
  try {
    await use()
  } finally {
    await container.unpause()
  }
}
