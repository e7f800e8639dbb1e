import { assert, suite } from '../../../fixtures/test.ts'
import { createCircuit, type Verdict } from './circuit.ts'

const s = suite('meta/provider/circuit')
/** A source that answers all but what it chokes on, or nothing while it is ill. */
function setUp({ breakAfter = 3, halfOpenAfterMs = 60_000 } = {}) {
  const source = { isIll: false, asked: [] as string[] }
  const answer = (question: string): Verdict => {
    source.asked.push(question)
    return source.isIll || question.startsWith('poison') ? 'fault' : 'answered'
  }
  const circuit = createCircuit<string>({
    breakAfter,
    halfOpenAfterMs,
    probe: async (question) => answer(question),
  })
  const ask = async (caller: string, request: string) => {
    const said = await circuit.execute({
      caller,
      request,
      run: async () => answer(request),
      judge: (verdict) => verdict,
    })
    // Whatever is found out behind the answer.
    await new Promise((resolve) => setImmediate(resolve))
    return said ?? 'circuit_open'
  }
  return { source, circuit, ask }
}

s("one caller's poison shuts out that caller alone [meta/poison]", async () => {
  const { circuit, ask } = setUp()
  for (let n = 0; n < 3; n += 1) assert.is(await ask('villain', `poison ${n}`), 'fault')
  assert.is(await ask('villain', 'poison again'), 'circuit_open')
  assert.is(await ask('honest', 'WETH'), 'answered')
  assert.is(circuit.state(), 'closed')
})

s('poison from many addresses opens nothing while the source answers others', async () => {
  const { circuit, source, ask } = setUp()
  await ask('honest', 'WETH')
  for (let n = 0; n < 60; n += 1) await ask(`villain ${n}`, `poison ${n}`)
  assert.is(circuit.state(), 'closed')
  assert.is(await ask('honest', 'USDC'), 'answered')
  const probes = source.asked.filter((question) => question === 'WETH').length - 1
  assert.ok(probes > 0 && probes <= 20, `${probes} probes of 60 faults`)
})

s('what a villain was answered once is no witness for its own faults', async () => {
  const { circuit, source, ask } = setUp()
  await ask('honest', 'WETH')
  await ask('villain 1', 'mine')
  await ask('villain 2', 'mine too')
  for (let n = 0; n < 9; n += 1) await ask(`villain ${1 + (n % 2)}`, `poison ${n}`)
  assert.is(circuit.state(), 'closed')
  assert.ok(source.asked.lastIndexOf('WETH') > 2, 'the honest question was asked again')
})

s('a source that fails several at what it answered before is left alone for all', async () => {
  const { circuit, source, ask } = setUp()
  await ask('one', 'WETH')
  source.isIll = true
  await ask('two', 'A')
  await ask('three', 'B')
  await ask('two', 'C')
  assert.is(circuit.state(), 'open')
  const { length } = source.asked
  assert.is(await ask('four', 'D'), 'circuit_open')
  assert.is(source.asked.length, length)
})

s('faults of several open it where nothing was ever answered', async () => {
  const { circuit, source, ask } = setUp()
  source.isIll = true
  await ask('one', 'A')
  await ask('two', 'B')
  await ask('one', 'C')
  assert.is(circuit.state(), 'open')
})

s('a poisoned question does not keep it open once the source is well', async () => {
  const { circuit, source, ask } = setUp({ halfOpenAfterMs: 0 })
  await ask('one', 'WETH')
  source.isIll = true
  for (const caller of ['two', 'three', 'four']) await ask(caller, 'A')
  assert.is(circuit.state(), 'open')
  source.isIll = false
  assert.is(await ask('villain', 'poison'), 'fault')
  assert.is(circuit.state(), 'closed')
})

s('a source that lost what it once answered is tried by what is asked now', async () => {
  const { circuit, source, ask } = setUp({ halfOpenAfterMs: 0 })
  await ask('one', 'WETH')
  source.isIll = true
  for (const caller of ['two', 'three', 'four']) await ask(caller, 'A')
  source.isIll = false
  const lost = createCircuit<string>({
    breakAfter: 1,
    halfOpenAfterMs: 0,
    probe: async () => 'fault',
  })
  const put = (verdict: Verdict, caller: string) =>
    lost.execute({ caller, request: 'x', run: async () => verdict, judge: (said) => said })
  await put('answered', 'one')
  for (const caller of ['two', 'three']) await put('fault', caller)
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(lost.state(), 'open')
  assert.is(await put('answered', 'four'), 'answered')
  assert.is(lost.state(), 'closed')
  assert.is(circuit.state(), 'open')
})
s('forgets who failed longest ago, beyond a thousand and twenty-four [teeth/circuit]', async () => {
  const { ask } = setUp()
  await ask('honest', 'WETH')
  for (let n = 0; n < 3; n += 1) await ask('villain', 'poison')
  for (let n = 1; n < 1_024; n += 1) await ask(`other ${n}`, 'poison')
  assert.is(await ask('villain', 'poison'), 'circuit_open')
  await ask('other', 'poison')
  assert.is(await ask('villain', 'poison'), 'fault')
})
s(
  'asks again what three of the last eight were answered, the oldest of these first [teeth/circuit]',
  async () => {
    const { source, ask } = setUp()
    for (let n = 0; n < 9; n += 1) await ask(`honest ${n}`, `token ${n}`)
    // Whoever is answered again is the newest.
    await ask('honest 1', 'token 1')
    source.isIll = true
    source.asked.length = 0
    for (const caller of ['a', 'b', 'c']) await ask(caller, 'what')
    assert.equal(source.asked, ['what', 'what', 'what', 'token 7', 'token 8', 'token 1'])
  },
)
s('a trial waits for nothing that was answered before [strangers/circuit-trial]', async () => {
  const hangs = createCircuit<string>({
    breakAfter: 2,
    halfOpenAfterMs: 0,
    probe: () => new Promise(() => undefined),
  })
  const put = (verdict: Verdict, caller: string) =>
    hangs.execute({ caller, request: 'x', run: async () => verdict, judge: (said) => said })
  for (let n = 0; n < 2; n += 1) await put('fault', '')
  assert.is(hangs.state(), 'open')
  assert.is(await put('answered', 'honest'), 'answered')
  assert.is(hangs.state(), 'closed')
})
s('a trial that tells nothing leaves it as it was [attack/trial-unasked]', async () => {
  const circuit = createCircuit<string>({
    breakAfter: 2,
    halfOpenAfterMs: 0,
    probe: async () => 'fault',
  })
  const put = (verdict: Verdict | undefined, caller: string) =>
    circuit.execute({ caller, request: 'x', run: async () => verdict, judge: (said) => said })
  for (let n = 0; n < 2; n += 1) await put('fault', '')
  await put(undefined, 'one')
  assert.is(circuit.state(), 'open')
  await put('healthy', 'two')
  assert.is(circuit.state(), 'closed')
})
s(
  'a trial that tells nothing leaves the next one to who comes next [attack/trial-again]',
  async () => {
    const { now } = performance
    let nowMs = 0
    performance.now = () => nowMs
    try {
      const circuit = createCircuit<string>({
        breakAfter: 2,
        halfOpenAfterMs: 60_000,
        probe: async () => 'fault',
      })
      const put = (verdict: Verdict | undefined, caller: string) =>
        circuit.execute({ caller, request: 'x', run: async () => verdict, judge: (said) => said })
      for (let n = 0; n < 2; n += 1) await put('fault', '')
      await new Promise((resolve) => setImmediate(resolve))
      nowMs += 60_000
      await put(undefined, 'stranger')
      assert.is(circuit.state(), 'open')
      assert.is(await put('answered', 'honest'), 'answered')
      assert.is(circuit.state(), 'closed')
    } finally {
      performance.now = now
    }
  },
)
s('who asks as nobody in particular is shut out with all alone [teeth/circuit]', async () => {
  const { circuit, ask } = setUp()
  for (let n = 0; n < 2; n += 1) assert.is(await ask('', 'poison'), 'fault')
  assert.is(circuit.state(), 'closed')
  assert.is(await ask('', 'poison'), 'fault')
  assert.is(circuit.state(), 'open')
  assert.is(await ask('anybody', 'WETH'), 'circuit_open')
})
s.run()
