/** Below what the proxy takes of one network (docker/proxy/rates.conf), which all callers of a test are. */
const perSecond = 400

/** How long each of so many callers rests after an answer. */
export const restMsOf = (callers: number): number => (callers * 1_000) / perSecond
