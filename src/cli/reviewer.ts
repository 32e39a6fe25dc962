import { InvalidArgumentError, Option } from 'commander'
import type { Reviewer } from '../index.js'

/** The option `--by NAME` or `--by 'NAME <EMAIL>'`. The default is git's user, else the system's user. */
export function byOption(): Option {
  const by = "the reviewer: 'Name' or 'Name <email>' (default: git's user.name and user.email, else the system's user)"
  return new Option('--by <name>', by).argParser(parseReviewer)
}

function parseReviewer(text: string): Reviewer {
  const [, name = text, email] = /^(.*?)\s*<([^<>]*)>\s*$/.exec(text) ?? []
  const trimmed = name.trim()
  if (trimmed === '') throw new InvalidArgumentError("Give the reviewer's name.")
  return email === undefined || email === '' ? { name: trimmed } : { name: trimmed, email }
}
