import type { Context } from 'koa'
import { HttpError, httpError } from './httpError.ts'

export type RequestIdField = 'request_id' | 'requestId'

/** Turns whatever was thrown into the one error body; what is no `HttpError` is answered without its text. */
export function writeError(
  ctx: Context,
  {
    error,
    requestId,
    requestIdField,
  }: { error: HttpError; requestId: string; requestIdField: RequestIdField },
): void {
  ctx.status = error.status
  ctx.set(error.headers)
  ctx.set('content-type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(errorBody(error, { requestId, requestIdField }))
}

export function errorBody(
  error: HttpError,
  { requestId, requestIdField }: { requestId: string; requestIdField: RequestIdField },
): Record<string, unknown> {
  return {
    error: error.message,
    code: error.code,
    [requestIdField]: requestId,
    ...(error.details && { details: error.details }),
    ...error.extra,
  }
}

/** `isOutage`: what of the rest is no mistake of ours, but something that this service needs and has not. */
export function toHttpError(
  error: unknown,
  {
    isOutage = () => false,
  }: { readonly isOutage?: ((error: unknown) => boolean) | undefined } = {},
): HttpError {
  if (error instanceof HttpError) return error
  if (!isOutage(error)) return httpError('internal', undefined, { cause: error })
  return httpError('unavailable', undefined, { cause: error, headers: { 'retry-after': '1' } })
}
