const mask = '[redacted]'
const longestMessage = 500
/** Path parts shorter than this ("v2", "rpc") are no secrets, and masking them would maim messages. */
const shortestSecret = 8

/**
 * Returns a function that masks everything secret of a URL (the URL, its host, user, password, long
 * path and query parts) in a text and cuts the text to 500 characters.
 */
export function createRedactor(url: string): (text: string) => string {
  const { host, username, password, pathname, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values(), username, password]
  const secrets = [url, url.replace(/\/$/, ''), host, ...parts.map(decodeSafely), ...parts]
    .filter((part) => part === url || part.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
    return masked.slice(0, longestMessage)
  }
}

function decodeSafely(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
