/** Told to whoever records or replays with the clock held: seconds, as a chain counts them. */
export const freezeVariable = 'FREEZE_TIME_SECS'
