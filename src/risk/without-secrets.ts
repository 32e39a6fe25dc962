import { FORMS } from './secrets.js'

const HIDDEN = '[secret]'

/** A private key to its end, which its form only begins. */
const KEY_BLOCK = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----|$)/g
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"]{0,100}:)[^\s@/'"]{1,200}(?=@)/gi
/** `NAME=value`, `name: value` and `--name value`, with a name that marks a secret. */
const NAMED =
  /((?:passw(?:or)?d|passwd|pwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|credentials?|authorization|cookie)[\w-]{0,20}["']?(?:\s{0,4}[:=]{1,2}\s{0,4}|\s{1,4})["'`]?(?:(?:bearer|basic|token)\s{1,4})?)[^\s"'`;|&]{4,400}/gi
/** `-u name:password` of curl and others. */
const USER = /(\s-u\s{0,4}["']?[^\s:"']{1,100}:)[^\s"']{1,200}/g
const WORD = /[A-Za-z0-9_+=-]{24,400}/g

/**
 * A text without the values of secrets, for places that people share. It hides more than the risk facts name: every
 * value whose name is like a secret's, or that looks random.
 */
export function withoutSecrets(text: string): string {
  let plain = text.replace(KEY_BLOCK, HIDDEN)
  for (const [form] of FORMS) plain = plain.replace(new RegExp(form.source, `${form.flags}g`), HIDDEN)
  return plain
    .replace(IN_ADDRESS, `$1${HIDDEN}`)
    .replace(NAMED, `$1${HIDDEN}`)
    .replace(USER, `$1${HIDDEN}`)
    .replace(WORD, (word) => (looksDrawn(word) ? HIDDEN : word))
}

/** Letters of both cases and digits, mixed, as in a key; or a long run of hex digits that is not a commit. */
function looksDrawn(word: string): boolean {
  if (/^[a-f0-9]+$/i.test(word)) return word.length >= 32 && word.length !== 40
  const changes = [...word.matchAll(/[a-z](?=\d)|\d(?=[a-z])|[a-z](?=[A-Z])|[A-Z](?=\d)|\d(?=[A-Z])/g)].length
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && changes >= 5
}
