import { toHex, zeroAddress } from 'viem'
import type { Quote } from '../finishQuote.ts'
import { fromQuoteHead, fromStep, type QuoteOptions } from './quote.ts'

const texts = new WeakMap<Quote['steps'], string>()

/** All quotes of a route share its steps: their text is made once. */
function writeSteps(steps: Quote['steps']): string {
  const known = texts.get(steps)
  if (known !== undefined) return known
  const text = JSON.stringify(steps.map(fromStep))
  texts.set(steps, text)
  return text
}

/**
 * The JSON of `fromQuote`, whose calldata (hex, and twice in it) and steps make up most of an answer:
 * neither is looked at for escapes again.
 */
export function writeQuote(quote: Quote, options: QuoteOptions): string {
  const head = JSON.stringify(fromQuoteHead(quote, options)).slice(0, -1)
  const steps = `"steps":${writeSteps(quote.steps)}}`
  if (!quote.execution) return `${head},"router":"${zeroAddress}","calldata":"0x",${steps}`
  const { spender, target, data, value } = quote.execution
  const execution = `{"spender":"${spender}","target":"${target}","calldata":"${data}","value":"${toHex(value)}"}`
  return `${head},"router":"${target}","calldata":"${data}","execution":${execution},${steps}`
}
