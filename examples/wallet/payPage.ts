type Provider = { request(call: { method: string; params?: unknown }): Promise<unknown> }

/** A page as you have it: it pays by the wallet that it discovers, and knows nothing of tests. */
export function openPayPage(body: HTMLElement): void {
  let found: Provider | undefined
  addEventListener('eip6963:announceProvider', (event) => {
    found = (event as CustomEvent<{ provider: Provider }>).detail.provider
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  body.innerHTML = '<button>Pay</button><output></output>'
  const output = body.querySelector('output')
  const show = (text: string) => output?.replaceChildren(text)
  body.querySelector('button')?.addEventListener('click', () => {
    if (!found) return show('no wallet')
    pay(found).then(
      (hash) => show(`paid by ${hash}`),
      (error: Error) => show(`not paid: ${error.message}`),
    )
  })
}

async function pay(provider: Provider): Promise<string> {
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  const call = { from, to: from, value: '0x1' }
  return (await provider.request({ method: 'eth_sendTransaction', params: [call] })) as string
}
