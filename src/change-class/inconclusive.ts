/** The effect of a change cannot be determined. The message gives the reason. */
export class Inconclusive extends Error {
  override readonly name = 'Doubtful'
}
