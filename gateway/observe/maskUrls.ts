/** The text without its URLs, whatever characters a password has: those of upstreams and databases hold secrets. */
export const maskUrls = (text: string): string =>
  text.replace(/\b(https?|wss?|postgres(?:ql)?|rediss?|unix):\/\/[^\s"]+/gi, '[url]')
