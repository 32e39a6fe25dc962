/** A tool failed before it wrote anything. The message is for the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}
