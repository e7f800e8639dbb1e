import { type Signal, useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { pageList } from './pageList.ts'
import { Login } from './parts/login.tsx'
import { Trouble, Wait } from './parts/notes.tsx'
import { go, place, toHash } from './state/place.ts'
import { door, doorSentence, gateway, lab, openDoor, sentenceOf } from './state/session.ts'

export function Shell() {
  const isHelpOpen = useSignal(false)
  useEffect(() => void openDoor(), [])
  useEffect(() => listenToKeys(isHelpOpen), [isHelpOpen])
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the page
      </button>
      <header>
        <p class="brand">Forkyard</p>
        <nav aria-label="Pages">
          <ul>
            {pageList.map(({ name, title, key }) => (
              <li key={name}>
                <a
                  href={toHash(name)}
                  aria-current={place.value.page === name ? 'page' : undefined}
                  title={`g then ${key}`}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <p class="about">{about()}</p>
      </header>
      <main id="main" tabIndex={-1}>
        <Inside />
      </main>
      {isHelpOpen.value && <Help isOpen={isHelpOpen} />}
    </>
  )
}

function about() {
  if (!gateway.value) return ''
  const { mode, version } = gateway.value
  return `${lab.value ? `lab, ${mode}` : 'live, read-only'} · ${version} · ? for keys`
}

function skipToMain() {
  document.getElementById('main')?.focus()
}

function Inside() {
  if (door.value === 'opening') return <Wait>Asking the gateway what it is …</Wait>
  if (door.value === 'login') return <Login />
  if (door.value === 'closed') return <Trouble>{doorSentence.value}</Trouble>
  return <Page name={place.value.page} />
}

function Page({ name }: { readonly name: string }) {
  const loaded = useSignal<{ readonly name: string; readonly Inner: ComponentType } | undefined>(
    undefined,
  )
  const failure = useSignal('')
  const row = pageList.find((each) => each.name === name)
  useEffect(() => {
    failure.value = ''
    document.title = `${row?.title ?? 'Not found'} · Forkyard console`
    row?.load().then(
      (Inner) => {
        loaded.value = { name: row.name, Inner }
      },
      (error: unknown) => {
        failure.value = `The page could not be loaded: ${sentenceOf(error)}. Reload to try again.`
      },
    )
  }, [row, loaded, failure])
  if (!row) return <Trouble>There is no page “{name}”. Choose one above.</Trouble>
  if (failure.value !== '') return <Trouble>{failure.value}</Trouble>
  if (loaded.value?.name !== name) return <Wait>Loading the page {row.title} …</Wait>
  const { Inner } = loaded.value
  return (
    <>
      <h1>{row.title}</h1>
      <Inner />
    </>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
/** `g` waits so long for the letter of a page. */
const chordMs = 1_500

/** `/` goes to the page's search, `g` and a letter to a page, `?` shows the keys. */
function listenToKeys(isHelpOpen: Signal<boolean>) {
  let chordAt = Number.NEGATIVE_INFINITY
  function press(event: KeyboardEvent) {
    if (event.key === 'Escape') isHelpOpen.value = false
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    const isChord = event.timeStamp - chordAt < chordMs
    chordAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const row = isChord ? pageList.find(({ key }) => key === event.key) : undefined
    if (row) go(row.name)
    else if (event.key === '/') {
      event.preventDefault()
      document.querySelector<HTMLElement>('[data-search]')?.focus()
    } else if (event.key === '?') isHelpOpen.value = !isHelpOpen.value
  }
  addEventListener('keydown', press)
  return () => removeEventListener('keydown', press)
}

function Help({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  const close = () => {
    isOpen.value = false
  }
  return (
    <section class="help" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        <dt>/</dt>
        <dd>search of the page</dd>
        {pageList.map(({ key, title }) => [
          <dt key={`${key}-key`}>g {key}</dt>,
          <dd key={key}>{title}</dd>,
        ])}
        <dt>?</dt>
        <dd>this list</dd>
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </section>
  )
}
