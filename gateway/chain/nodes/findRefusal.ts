import { BaseError, RpcRequestError } from 'viem'
import { classifyRefusal } from './classifyRefusal.ts'
import type { Refusal } from './refusal.ts'

/** What a node has refused, where an error of viem's comes from that. */
export function findRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof BaseError)) return undefined
  const said = error.walk((cause) => cause instanceof RpcRequestError)
  if (!(said instanceof RpcRequestError)) return undefined
  return classifyRefusal({ code: said.code, message: said.details })
}
