import type { Line, Texts } from './changed.js'
import type { Found } from './facts.js'
import { isProse, isTest, manifestOf, nameOf } from './paths.js'

/**
 * Settings that protect, by their names in lines of the form `name: value` or `name = value`. This is a list of words: it compares the
 * removed and the added lines of a file, in any language.
 */
export function settingFacts(path: string, { removed, added }: Texts): Found[] {
  if (isProse(path) || manifestOf(path) !== undefined) return []
  const old = settingsIn(removed)
  const found: Found[] = []
  for (const setting of settingsIn(added)) {
    const at = old.findIndex(({ name }) => name === setting.name)
    const [was] = at < 0 ? [] : old.splice(at, 1)
    const name = factOf(path, setting, was?.value)
    if (name !== undefined)
      found.push({
        name,
        what: was ? `${setting.name}: ${was.value} → ${setting.value}` : setting.text,
        line: setting.line,
      })
  }
  return found
}

interface Setting {
  readonly name: string
  readonly value: string
  readonly text: string
  readonly line: number
}

const SETTING =
  /([\w$-]{2,60})["']?\s{0,3}[:=]\s{0,3}(true|false|True|False|\d[\d_]{0,15}(?:\.\d{1,6})?|'\*'|"\*")(?![\w.])/g
const NUMBERED = /[-"']([\w-]{4,60})["']?\s(\d{1,6})(?![\w.])/g

function settingsIn(lines: readonly Line[]): Setting[] {
  return lines.flatMap(({ number, text }) => {
    if (/^\s*(?:\/\/|#|\*)/.test(text)) return []
    const read = text.slice(0, 1_000)
    return [...read.matchAll(SETTING), ...read.matchAll(NUMBERED)].map(([, name = '', value = '']) => ({
      name,
      value: value.toLowerCase().replaceAll('_', ''),
      text,
      line: number,
    }))
  })
}

const PROTECTS =
  /secure|http-?only|verif|valid|sanitiz|escap|strict|protect|auth|csrf|csp|hsts|sandbox|isolat|encrypt|sign(?:ed|ature)|enforce|required?|enabled|check|audit|immutable|frozen|integrity|readonly|read_only|fail/i
const ENDANGERS =
  /allow|insecure|unsafe|disable|skip|ignore|bypass|trust|danger|no-?verify|debug|anonymous|public|permissive|node_?integration|anyorigin|loose/i
/** Off is a danger in new code, too. */
const NEVER_OFF = /^(?:http-?only|contextIsolation|webSecurity|csrf(?:Protection)?|verify_?signature|sandbox)$/i
const NEVER_ON =
  /^(?:ignoreExpiration|nodeIntegration|allowRunningInsecureContent|disableWebSecurity|allowUnsafe\w*|insecure|skipAuth\w*|dangerously\w+)$/i
const ORIGIN = /^(?:origin|allow(?:ed)?_?-?origins?|Access-Control-Allow-Origin)$/i

function factOf(path: string, { name, value }: Setting, was: string | undefined): Found['name'] | undefined {
  if (/^\d/.test(value)) return numberFact(path, name, Number(value), was === undefined ? undefined : Number(was))
  if (value.includes('*')) return ORIGIN.test(name) && was !== value ? 'setting-off' : undefined
  if (value === was || isTest(path)) return undefined
  if (value === 'false')
    return (was === 'true' && PROTECTS.test(name) && !ENDANGERS.test(name)) || NEVER_OFF.test(name)
      ? 'setting-off'
      : undefined
  return (was === 'false' && ENDANGERS.test(name)) || NEVER_ON.test(name) ? 'setting-off' : undefined
}

const THRESHOLD =
  /threshold|coverage|^(?:branches|functions|lines|statements|global|perFile|min(?:imum)?)$|^fail[-_]under|^min[-_A-Z]/i
const MORE_IS_LESS = /^max[-_]?warnings$/i
const LIMIT =
  /max|limit|timeout|ttl|expir|rounds|iteration|cost|salt|attempt|retries|window|lifetime|min[A-Z_-]|length|burst|rate|quota|size/i
const STRENGTH = /rounds|iteration|workfactor|work_factor|saltlength|key_?(?:size|length|bits)|^cost(?:factor)?$/i
const CONFIG = /(?:config|rc|\.json|\.ya?ml|\.toml|\.ini|\.cfg|Makefile)(?:\.[cm]?[jt]s)?$/

function numberFact(path: string, name: string, now: number, was: number | undefined): Found['name'] | undefined {
  if (was === undefined || Number.isNaN(was) || was === now) return undefined
  const isCheck = CONFIG.test(nameOf(path)) || isTest(path)
  if (isCheck && (THRESHOLD.test(name) ? now < was : MORE_IS_LESS.test(name) && now > was)) return 'threshold-lowered'
  if (STRENGTH.test(name) && now < was) return 'crypto-weaker'
  return LIMIT.test(name) && !isTest(path) ? 'limit-changed' : undefined
}
