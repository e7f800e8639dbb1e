import { type Address, type Hex, size, zeroAddress } from 'viem'
import { greater, lesser, wholeBps } from '../../amounts/amounts.ts'
import { addressAt, placeAt, readBytes, wordAt } from './readBytesList.ts'
import { listSteps, type Program, readProgram } from './routerProgram.ts'

/** So much arrives there at least, or nothing of the payload happens at all. */
export type Delivery = {
  /** The zero address is the native currency; `wrapped` is that one's token. */
  readonly token: Address | 'wrapped'
  /** The zero address is whoever sends the transaction. */
  readonly recipient: Address
  readonly amount: bigint
}

type Token = Delivery['token']

/** What Universal Router calls whoever called it, and itself. */
const [itsCaller, itself]: readonly [Address, Address] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
]
/** All that it holds. */
const wholeBalance = 2n ** 255n
/** Router 2.0 takes no amount of so many bits; as a place it is one before the order. */
const tooMuchForV4 = 2n ** 128n

/** What is sure while the steps run: of what the router holds at least so much, or else nothing. */
type Books = {
  readonly held: Map<Token, bigint>
  readonly pay: (token: Token, recipient: Address, amount: bigint) => void
}
type Run = (input: Hex, books: Books) => void

function takeHeld({ held }: Books, token: Token): bigint {
  const amount = held.get(token) ?? 0n
  held.delete(token)
  return amount
}

/** Tokens with a fee between each two; of a path that is longer than those the router reads the beginning. */
function endsOfV3(path: Hex): readonly [Address, Address] | undefined {
  const length = size(path)
  if (length < 43 || (length - 20) % 23 !== 0) return undefined
  const digits = path.slice(2).toLowerCase()
  return [`0x${digits.slice(0, 40)}`, `0x${digits.slice(-40)}`]
}

function endsOfV2(input: Hex): readonly [Address, Address] | undefined {
  const list = placeAt(input, 96)
  const length = placeAt(input, list)
  return length < 2
    ? undefined
    : [addressAt(input, list + 32), addressAt(input, list + 32 * length)]
}

/** `paid`: what arrives at least; undefined where nothing is sure. */
function swap(
  books: Books,
  ends: readonly [from: Address, to: Address] | undefined,
  paid?: { readonly recipient: Address; readonly amount: bigint },
): void {
  const [from, to] = ends ?? []
  if (!from || !to) {
    books.held.clear()
    return
  }
  takeHeld(books, from)
  if (paid) books.pay(to, paid.recipient, paid.amount)
}

const swapV3: Run = (input, books) => {
  const ends = endsOfV3(readBytes(input, { argument: 3, behind: 0 }))
  swap(books, ends, { recipient: addressAt(input, 0), amount: wordAt(input, 64) })
}
/** Its path stands the other way round, and another output than the asked one reverts. */
const swapV3ExactOut: Run = (input, books) => {
  const walked = endsOfV3(readBytes(input, { argument: 3, behind: 0 }))
  const ends = walked && ([walked[1], walked[0]] as const)
  swap(books, ends, { recipient: addressAt(input, 0), amount: wordAt(input, 32) })
}
const swapV2: Run = (input, books) =>
  swap(books, endsOfV2(input), { recipient: addressAt(input, 0), amount: wordAt(input, 64) })
/** Whoever makes a token between the ends has less arrive, and the router does not look. */
const swapV2ExactOut: Run = (input, books) => swap(books, endsOfV2(input))

const sweep: Run = (input, books) => {
  const token = addressAt(input, 0)
  // The router reads the least amount as 160 bits.
  const least = BigInt.asUintN(160, wordAt(input, 64))
  books.pay(token, addressAt(input, 32), greater(least, takeHeld(books, token)))
}
const transfer: Run = (input, books) => {
  const [token, value] = [addressAt(input, 0), wordAt(input, 64)]
  const held = takeHeld(books, token)
  books.pay(token, addressAt(input, 32), value === wholeBalance ? held : value)
}
/** Of what routers before 2.0 paid so, Uniswap had a part. */
const payPortion: Run = (input, books) => {
  const token = addressAt(input, 0)
  const held = takeHeld(books, token)
  const portion = (held * lesser(wordAt(input, 64), wholeBps)) / wholeBps
  books.held.set(token, held - portion)
}
const wrap: Run = (input, books) => {
  const amount = wordAt(input, 32)
  const held = takeHeld(books, zeroAddress)
  books.pay('wrapped', addressAt(input, 0), amount === wholeBalance ? held : amount)
}
const unwrap: Run = (input, books) => {
  // Which of the tokens it holds is the wrapped one is not said.
  const native = takeHeld(books, zeroAddress)
  books.held.clear()
  books.held.set(zeroAddress, native)
  books.pay(zeroAddress, addressAt(input, 0), wordAt(input, 32))
}

/** What pools owe the router within one command: at least so much; of what it has sold there nothing is sure. */
type Owed = {
  /** How long the bytes are in which the router finds all that its actions name. */
  readonly within: bigint
  readonly credits: Map<Address, bigint>
  readonly sold: Set<Address>
  isUnsure: boolean
}
type Act = (input: Hex, books: Books, owed: Owed) => void

const creditOf = ({ credits, sold, isUnsure }: Owed, currency: Address) =>
  isUnsure || sold.has(currency) ? 0n : (credits.get(currency) ?? 0n)

function addCredit({ credits }: Owed, currency: Address, amount: bigint): void {
  credits.set(currency, (credits.get(currency) ?? 0n) + amount)
}

/**
 * Router 2.0 has four words, and then the path; 2.1 puts the place of a list, a limit of each hop, before the
 * amounts: anywhere in the command's bytes, before the order, too. Of an order that it would read as well,
 * with another least output, nothing is sure.
 */
const swapV4: Act = (input, _books, owed) => {
  const order = placeAt(input, 0)
  const [from, amountIn] = [addressAt(input, order), wordAt(input, order + 64)]
  const path = order + placeAt(input, order + 32)
  const last = path + 32 + placeAt(input, path + 32 * placeAt(input, path))
  const isBackwards = amountIn >= tooMuchForV4
  // At no distance the list is the order itself, with its currency for a length.
  const isPlace = isBackwards || (amountIn === 0n ? BigInt(from) : amountIn) <= owed.within
  const isSure = path === order + 128 && !isPlace
  owed.sold.add(from)
  addCredit(owed, addressAt(input, last), isSure ? wordAt(input, order + 96) : 0n)
}
const swapV4Single: Act = (input, _books, owed) => {
  const order = placeAt(input, 0)
  const currencies = [addressAt(input, order), addressAt(input, order + 32)] as const
  const isZeroForOne = wordAt(input, order + 160) !== 0n
  const [from, to] = isZeroForOne ? currencies : ([currencies[1], currencies[0]] as const)
  owed.sold.add(from)
  addCredit(owed, to, wordAt(input, order + 224))
}
/** A pool's hook may have less come of it, and the router does not look. */
const swapV4ExactOut: Act = (_input, _books, owed) => {
  owed.isUnsure = true
}
const settle: Act = (input, books) => {
  takeHeld(books, addressAt(input, 0))
}
const take: Act = (input, books, owed) => {
  const [currency, amount] = [addressAt(input, 0), wordAt(input, 64)]
  const taken = amount === 0n ? greater(creditOf(owed, currency), 0n) : amount
  addCredit(owed, currency, -taken)
  books.pay(currency, addressAt(input, 32), taken)
}
const takeAll: Act = (input, books, owed) => {
  const currency = addressAt(input, 0)
  const credit = creditOf(owed, currency)
  addCredit(owed, currency, -credit)
  books.pay(currency, itsCaller, greater(wordAt(input, 32), credit))
}
const takePortion: Act = (input, _books, owed) => {
  const currency = addressAt(input, 0)
  const credit = greater(creditOf(owed, currency), 0n)
  const portion = (credit * lesser(wordAt(input, 64), wholeBps)) / wholeBps
  addCredit(owed, currency, -portion)
}

const actions: ReadonlyMap<number, Act> = new Map([
  [0x06, swapV4Single],
  [0x07, swapV4],
  [0x08, swapV4ExactOut],
  [0x09, swapV4ExactOut],
  [0x0b, settle],
  [0x0c, settle],
  [0x0e, take],
  [0x0f, takeAll],
  [0x10, takePortion],
])

const runV4: Run = (input, books) => {
  const steps = listSteps(readProgram(input))
  if (!steps?.every(([step]) => actions.has(step))) return books.held.clear()
  const within = BigInt(size(input))
  const owed: Owed = { within, credits: new Map(), sold: new Set(), isUnsure: false }
  for (const [step, action] of steps) actions.get(step)?.(action, books, owed)
}

const commands: ReadonlyMap<number, Run> = new Map([
  [0x00, swapV3],
  [0x01, swapV3ExactOut],
  [0x04, sweep],
  [0x05, transfer],
  [0x06, payPortion],
  [0x08, swapV2],
  [0x09, swapV2ExactOut],
  [0x0b, wrap],
  [0x0c, unwrap],
  [0x10, runV4],
])

/**
 * Who gets what of a program of Universal Router for certain. A command that may fail, or that nobody taught us,
 * delivers nothing, and nothing is sure of what the router holds after it.
 */
export function listDeliveries(
  program: Program,
  /** Whoever calls the router, or undefined where that is a contract that hands on nothing. */
  caller: Address | undefined,
): readonly Delivery[] {
  const deliveries: Delivery[] = []
  const held = new Map<Token, bigint>()
  const pay: Books['pay'] = (token, recipient, amount) => {
    if (recipient === itself) held.set(token, (held.get(token) ?? 0n) + amount)
    else if (recipient === itsCaller && caller)
      deliveries.push({ token, recipient: caller, amount })
    // To the zero address nothing is paid: it stands for the sender here.
    else if (recipient !== zeroAddress) deliveries.push({ token, recipient, amount })
  }
  for (const [command, input] of listSteps(program) ?? []) {
    const run = commands.get(command)
    if (run) run(input, { held, pay })
    else held.clear()
  }
  return deliveries
}
