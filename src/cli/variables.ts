import { InvalidArgumentError } from 'commander'

/** Variables a program is given, by `--env NAME` or `--env NAME=VALUE`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** One more of them; without a value it is the person's own. */
export function variable(text: string, before: Variables): Variables {
  const [, name, value] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? []
  if (name === undefined) throw new InvalidArgumentError('Give NAME or NAME=VALUE.')
  return { ...before, [name]: value ?? process.env[name] }
}
