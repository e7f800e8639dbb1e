/** A mistake of the caller's, with what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly next: string

  constructor(sentence: string, { next }: { readonly next: string }) {
    super(sentence)
    this.next = next
  }
}
