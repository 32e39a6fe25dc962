/** A tool that could not do what it was asked, in words for the model. Nothing was written. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}
