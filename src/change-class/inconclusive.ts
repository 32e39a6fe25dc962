/** It cannot be told what a change does; the message says why. */
export class Inconclusive extends Error {
  override readonly name = 'Doubtful'
}
