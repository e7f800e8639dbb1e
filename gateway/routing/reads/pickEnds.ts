/** Of more than so many the first half and the last. */
export function pickEnds<item>(items: readonly item[], most: number): readonly item[] {
  if (items.length <= most) return items
  return [...items.slice(0, most / 2), ...items.slice(-most / 2)]
}
