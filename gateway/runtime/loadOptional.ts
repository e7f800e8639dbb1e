/**
 * Loads what only some need: it costs time and memory, and a package installs without it.
 * @throws Error that says what to install
 */
export async function loadOptional<module>(
  name: string,
  load: () => Promise<module>,
): Promise<module> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)
    throw isMissing ? new Error(`this needs the package ${name}: npm i ${name}`) : error
  }
}
