/** Nodes take a replacement only if both fees rise by a tenth; an eighth is customary. Rounded up. */
export const bumpFee = (wei: bigint): bigint => (wei * 9n + 7n) / 8n
