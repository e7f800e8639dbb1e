import { HttpError, httpError } from '../../http/httpError.ts'
import { tooManyRequests } from '../../http/tooManyRequests.ts'
import { chainFaults } from './chainFaults.ts'
import * as edge from './edge.ts'
import type { Fault, FaultSettings } from './fault.ts'
import { marketFaults } from './marketFaults.ts'
import { relayFaults } from './relayFaults.ts'
import { sourceFaults } from './sourceFaults.ts'

const refusing = (
  name: string,
  sentence: string,
  toError: (settings: FaultSettings) => HttpError,
  reads: Fault['reads'] = [],
): Fault => ({
  at: 'request',
  name,
  sentence,
  reads,
  async play({ settings }) {
    throw toError(settings)
  },
})

const retryAfter = ({ retryAfterSecs }: FaultSettings) => ({
  headers: { 'retry-after': String(retryAfterSecs) },
})

/** At the edge of a service. Those that refuse are played before anything is charged. */
const edgeFaults: readonly Fault[] = [
  refusing('invalid_request', '400: the request is not valid', () => httpError('invalidRequest')),
  refusing('unauthorized', '401: no valid key', () => httpError('unauthorized')),
  refusing('payment_required', '402 without an offer: nothing is sold', () =>
    httpError('paymentRequired'),
  ),
  refusing('forbidden', '403: it belongs to another', () => httpError('forbidden')),
  refusing('no_route', '404: no route for the pair and amount', () => httpError('noRoute')),
  refusing('conflict', '409: an earlier request is in the way', () => httpError('conflict')),
  refusing('body_too_large', '413: the body is too large', () => httpError('bodyTooLarge')),
  refusing('unsupported_media_type', '415: the body is not sent as JSON', () =>
    httpError('unsupportedMediaType'),
  ),
  refusing(
    'rate_limited',
    '429 with Retry-After',
    ({ retryAfterSecs }) => tooManyRequests(retryAfterSecs),
    ['retryAfterSecs'],
  ),
  refusing('internal_error', '500: the service failed', () => httpError('internal')),
  refusing('chain_unreachable', '502: the chain could not be reached', () =>
    httpError('chainUnreachable'),
  ),
  refusing(
    'no_quotes',
    '502: no source gave a quote',
    () => new HttpError(502, 'no_quotes', 'no source gave a quote', { extra: { failures: [] } }),
  ),
  refusing(
    'unavailable',
    '503 with Retry-After',
    (settings) => httpError('unavailable', undefined, retryAfter(settings)),
    ['retryAfterSecs'],
  ),
  {
    at: 'request',
    name: 'proxy_page',
    sentence: '502 with the HTML page of a proxy',
    reads: [],
    play: edge.answerPage,
  },
  {
    at: 'request',
    name: 'slow',
    sentence: 'The answer comes ms later',
    reads: ['ms'],
    play: edge.slow,
  },
  {
    at: 'request',
    name: 'stall',
    sentence: 'No answer for ms, then a closed connection',
    reads: ['ms'],
    play: edge.stall,
  },
  {
    at: 'request',
    name: 'reset',
    sentence: 'The connection closes without an answer',
    reads: [],
    play: edge.reset,
  },
  {
    at: 'request',
    name: 'cut',
    sentence: 'The answer ends after so many bytes',
    reads: ['bytes'],
    play: edge.cut,
  },
  {
    at: 'request',
    name: 'bad_json',
    sentence: '200 whose body is half a JSON text',
    reads: [],
    play: edge.halve,
  },
  {
    at: 'request',
    name: 'stream_cut',
    sentence: 'The stream ends after so many events, without done',
    reads: ['events'],
    play: edge.cutStream,
  },
  {
    at: 'request',
    name: 'stream_silent',
    sentence: 'Comments every ms keep the stream open, and no event comes',
    reads: ['ms'],
    play: edge.silenceStream,
  },
  {
    at: 'request',
    name: 'stream_duplicate',
    sentence: 'Each event comes twice',
    reads: [],
    play: edge.doubleStream,
  },
  {
    at: 'request',
    name: 'stream_late',
    sentence: 'The event before done comes again after it',
    reads: [],
    play: edge.lateStream,
  },
  {
    at: 'request',
    name: 'stream_over',
    sentence: '204: there is no stream to go on with',
    reads: [],
    play: edge.answerNothing,
  },
  {
    at: 'request',
    name: 'stream_refresh_storm',
    sentence: 'So many refresh events follow the first event at once',
    reads: ['events'],
    usual: { events: 50 },
    play: edge.stormStream,
  },
]

/** What a lab can have go wrong. */
export const faults: readonly Fault[] = [
  ...edgeFaults,
  {
    at: 'charge',
    name: 'quota_gone',
    sentence: '402 with the offer that is made to whoever has no quota left: it can be paid',
    reads: [],
  },
  ...relayFaults,
  ...marketFaults,
  ...chainFaults,
  ...sourceFaults,
]
