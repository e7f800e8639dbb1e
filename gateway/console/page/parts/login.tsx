import { useSignal } from '@preact/signals'
import { openDoor, ops, sentenceOf } from '../state/session.ts'
import { Trouble } from './notes.tsx'

/** Asks for the operators' token; the cookie that comes for it no script can read. */
export function Login() {
  const failure = useSignal('')
  async function send(event: SubmitEvent) {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    try {
      await ops.login({ token: String(new FormData(form).get('token') ?? '') })
      await openDoor()
    } catch (error) {
      failure.value = sentenceOf(error)
    }
  }
  return (
    <>
      <h1>Log in</h1>
      <p>This gateway shows itself to its operators. Their token is the setting OPS_TOKEN.</p>
      <form onSubmit={send}>
        <label>
          Operators’ token
          <input name="token" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit">Log in</button>
      </form>
      {failure.value !== '' && <Trouble>{failure.value}</Trouble>}
    </>
  )
}
