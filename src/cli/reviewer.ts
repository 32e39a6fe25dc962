import { InvalidArgumentError, Option } from 'commander'
import type { Reviewer } from '../index.js'

/** `--by NAME`, also as `--by 'NAME <EMAIL>'`; without it the workspace knows who the user is. */
export function byOption(): Option {
  return new Option('--by <name>', "who decides: 'Name' or 'Name <email>'; by default git's user").argParser(
    parseReviewer,
  )
}

export function parseReviewer(text: string): Reviewer {
  const [, name = text, email] = /^(.*?)\s*<([^<>]*)>\s*$/.exec(text) ?? []
  const trimmed = name.trim()
  if (trimmed === '') throw new InvalidArgumentError('A reviewer needs a name.')
  return email === undefined || email === '' ? { name: trimmed } : { name: trimmed, email }
}
