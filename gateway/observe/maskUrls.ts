/** The text without its URLs: those of upstreams and databases hold keys and passwords. */
export const maskUrls = (text: string): string =>
  text.replace(/\b(https?|wss?|postgres(?:ql)?|rediss?|unix):\/\/[^\s"')]+/g, '[url]')
