import { InvalidArgumentError } from 'commander'

/** Parses an option's value from 1 to 999,999. @throws InvalidArgumentError */
export function parseWholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number above 0.')
  return Number(text)
}
