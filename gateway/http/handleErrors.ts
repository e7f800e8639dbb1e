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

export function toHttpError(error: unknown): HttpError {
  return error instanceof HttpError ? error : httpError('internal', undefined, { cause: error })
}
