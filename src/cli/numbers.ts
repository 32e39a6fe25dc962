import { InvalidArgumentError } from 'commander'

/** An option's value: a whole number above 0. */
export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number above 0.')
  return Number(text)
}
