const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2024;background:#fff}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#f4f5f7;padding:.8rem;overflow:auto;border-radius:6px}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #dfe3e8;padding:.35rem .5rem;text-align:left;vertical-align:top}
section{border-top:2px solid #dfe3e8;margin-top:2rem}small{color:#60646c}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:baseline}input{font:inherit;padding:.2rem .5rem}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e6e8eb}pre{background:#22262a}a{color:#7db7ff}}`

/** A whole page in the one style, with a search that needs no script, and nothing loaded from elsewhere. */
export function htmlPage({
  title,
  body,
  asked = '',
}: {
  readonly title: string
  /** HTML. */
  readonly body: string
  /** What was searched for. */
  readonly asked?: string | undefined
}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>
<nav><a href="/docs">All pages</a><form action="/docs" role="search"><input type="search" name="q" aria-label="Search" placeholder="Search" value="${escapeHtml(asked)}"></form></nav>
${body}
</body></html>`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
