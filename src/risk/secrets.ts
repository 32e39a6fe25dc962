import type { Line, Texts } from './changed.js'
import type { Found } from './facts.js'
import { isTest } from './paths.js'

/**
 * Forms of secrets that their issuers document: a prefix and a fixed alphabet, so that hardly anything else looks like one. The rules
 * follow those of gitleaks that have a prefix of their own. Every repetition is of one class and bounded.
 */
export const FORMS: readonly (readonly [form: RegExp, kind: string])[] = [
  [/-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/, 'a private key'],
  [/\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/, 'an AWS key'],
  [/\bgh[pousr]_[A-Za-z0-9]{36}\b/, 'a GitHub token'],
  [/\bgithub_pat_[A-Za-z0-9_]{82}\b/, 'a GitHub token'],
  [/\bglpat-[A-Za-z0-9_-]{20}/, 'a GitLab token'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/, 'a Slack token'],
  [/hooks\.slack\.com\/services\/T[A-Z0-9]{8,12}\/B[A-Z0-9]{8,12}\/[A-Za-z0-9]{20,30}/, 'a Slack webhook'],
  [/\b(?:sk|rk)_live_[A-Za-z0-9]{16,100}/, 'a Stripe key'],
  [/\bAIza[A-Za-z0-9_-]{35}/, 'a Google key'],
  [/\bnpm_[A-Za-z0-9]{36}\b/, 'an npm token'],
  [/\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,200}/, 'a PyPI token'],
  [/\bsk-ant-[A-Za-z0-9_-]{32,200}/, 'an Anthropic key'],
  [/\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,200}/, 'an OpenAI key'],
  [/\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/, 'a SendGrid key'],
  [/\bhf_[A-Za-z]{34}\b/, 'a Hugging Face token'],
  [/\bdop_v1_[a-f0-9]{64}\b/, 'a DigitalOcean token'],
  [/\bshpat_[a-f0-9]{32}\b/, 'a Shopify token'],
  [/\bAccountKey=[A-Za-z0-9+/]{86}==/, 'an Azure key'],
  [/\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/, 'an age key'],
  [/\/\/[\w.:/-]{1,200}:_authToken=[A-Za-z0-9+/=_-]{16,400}/, 'a registry token'],
]

/** `postgres://user:password@host`, if the password is not a placeholder. */
const URL_PASSWORD =
  /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqps?|https?):\/\/[^\s:@/'"]{1,100}:([^\s:@/'"]{6,100})@/
const ASSIGNED =
  /\b([\w.-]{0,40}(?:passw(?:or)?d|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|credential)[\w-]{0,20})["']?\s{0,4}[:=]{1,2}\s{0,4}["'`]([^"'`\s]{16,200})["'`]/i
const PLACEHOLDER =
  /example|placeholder|changeme|change-me|your|xxx|dummy|sample|fake|test|redacted|\.\.\.|[${<>]|^\*|1234567|abcdef/i

const MAX_LINE = 4_000

/** Secrets in the added lines. */
export function secretFacts(path: string, { added }: Texts): Found[] {
  return added.flatMap((line) => secretIn(line, isTest(path)) ?? [])
}

function secretIn({ number: line, text }: Line, inTest: boolean): Found | undefined {
  const read = text.slice(0, MAX_LINE)
  for (const [form, kind] of FORMS) {
    const found = form.exec(read)?.[0]
    if (found !== undefined && !/EXAMPLE/.test(found) && !isUniform(found)) return { name: 'secret', what: kind, line }
  }
  const password = URL_PASSWORD.exec(read)?.[1]
  if (password !== undefined && !inTest && !PLACEHOLDER.test(password) && !isWord(password)) {
    return { name: 'secret', what: 'a password in an address', line }
  }
  const [, name, value] = ASSIGNED.exec(read) ?? []
  if (name === undefined || value === undefined || inTest) return undefined
  return isRandom(value) ? { name: 'secret-like', what: name, line } : undefined
}

const isWord = (text: string) => /^[a-z]+$/i.test(text)

/** A made-up value: one character again and again. */
function isUniform(text: string): boolean {
  return new Set(text.slice(-12)).size <= 2
}

const BITS = 3.5

/** Whether a value looks drawn at random: letters and digits, and an entropy that words do not have. */
function isRandom(value: string): boolean {
  if (PLACEHOLDER.test(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  if (!/^[\w+/=.~-]+$/.test(value)) return false
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length)
  return entropy >= BITS
}
