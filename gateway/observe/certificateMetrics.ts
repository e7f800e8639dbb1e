import { Gauge, type Registry } from 'prom-client'

/** Shows how long the certificate is still good that callers are shown; not a number: none has been seen. */
export function showCertificate({ registry }: { readonly registry: Registry }) {
  let endMs = Number.NaN
  new Gauge({
    name: 'forkyard_certificate_left_seconds',
    help: 'Until the certificate ends that the proxy shows; NaN: it has not been seen',
    registers: [registry],
    collect() {
      this.set((endMs - Date.now()) / 1000)
    },
  })
  return (ms: number) => {
    endMs = ms
  }
}
