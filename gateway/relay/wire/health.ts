import { Type } from 'typebox'
import { named, oneOf } from '../../http/schemas.ts'

export const healthResponse = named(
  'Health',
  Type.Object({
    status: oneOf(['ok', 'degraded', 'error'], {
      description: 'degraded: some chain cannot be reached; error: none can',
    }),
    version: Type.String(),
    uptimeSecs: Type.Integer(),
  }),
)
