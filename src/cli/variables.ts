import { InvalidArgumentError } from 'commander'

/** Variables for a program, from `--env NAME` or `--env NAME=VALUE`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Adds a variable. Without a value it takes the value of this process. */
export function collectVariable(text: string, before: Variables): Variables {
  const [, name, value] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Give NAME or NAME=VALUE.')
  return { ...before, [name]: value ?? process.env[name] }
}
