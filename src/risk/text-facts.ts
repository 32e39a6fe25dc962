import type { Line, Texts } from './changed.js'
import type { Found } from './facts.js'
import { LANGUAGE_RULES, type TextRule } from './language-rules.js'
import { isCi, isEcmascript, isProse, isTest, runnerOf } from './paths.js'

/**
 * Facts from added lines by their words alone, in any language. These are lists, not an analysis: a text that says the same in other
 * words is not found. No pattern repeats a repetition, and lines are cut, so the time is linear.
 */
export function textFacts(path: string, texts: Texts): Found[] {
  const inProse = isProse(path)
  // People copy commands from a guide; other words in prose do nothing.
  const rules = RULES.filter(({ name, where }) =>
    inProse ? name === 'pipe-to-shell' : where === undefined || where(path),
  )
  const found = texts.added.flatMap((line) => rules.flatMap((rule) => matchOf(rule, line) ?? []))
  if (inProse) return found
  return [...found, ...formFacts(texts), ...hostFacts(path, texts), ...(isCi(path) ? removedChecks(texts) : [])]
}

const isPython = (path: string) => /\.pyi?$/i.test(path)
const isShell = (path: string) => /\.(?:sh|bash|zsh|ksh)$/i.test(path) || runnerOf(path) === 'git'
/** Files with commands in them. */
const hasCommands = (path: string) =>
  isShell(path) || isCi(path) || /(?:Dockerfile|Containerfile|[Mm]akefile|package\.json|\.ya?ml|justfile)$/.test(path)
/** Code that is not read by its syntax. */
const isOther = (path: string) => !isEcmascript(path)
const isCode = (path: string) => !isTest(path)

const COMMENT = /^\s*(?:\/\/|#|\*|\/\*)/

const RULES: readonly TextRule[] = [
  { name: 'pipe-to-shell', pattern: /\b(?:curl|wget|fetch)\b[^|]{0,300}\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k)?sh\b/ },
  {
    name: 'pipe-to-shell',
    pattern: /\b(?:curl|wget|base64)\b[^|]{0,300}\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|php)\b/,
  },
  {
    name: 'pipe-to-shell',
    pattern:
      /\b(?:ba|z)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b|\b(?:eval|source|\.)\s+["']?[<$]\(\s*(?:curl|wget)\b/,
  },
  {
    name: 'pipe-to-shell',
    pattern:
      /\bbase64\s+(?:-d|-D|--decode)\b[^|]{0,100}\|\s*\S{0,20}sh\b|\b(?:iwr|Invoke-WebRequest|irm)\b[^|]{0,200}\|\s*i?ex\b/,
  },
  {
    name: 'tls-check-off',
    pattern: /NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY\W{1,4}0|GIT_SSL_NO_VERIFY|http\.sslVerify[=\s]+false/,
  },
  {
    name: 'tls-check-off',
    pattern: /\brejectUnauthorized["']?\s*:\s*false|\bstrict-?ssl["']?\s*[:=]?\s*(?:false|0)\b/i,
  },
  {
    name: 'tls-check-off',
    pattern:
      /\bverify(?:_ssl|_certs)?\s*=\s*False\b|\bssl\._create_unverified_context|\bCERT_NONE\b|check_hostname\s*=\s*False/,
  },
  {
    name: 'tls-check-off',
    pattern:
      /\bInsecureSkipVerify\s*:\s*true|\bVERIFY_NONE\b|SSL_VERIFY(?:PEER|HOST)\W{1,4}(?:0|false)|danger_accept_invalid_certs\(true/,
  },
  {
    name: 'tls-check-off',
    pattern: /\bcurl\b[^|;&]{0,200}\s(?:-k|--insecure)\b|\bwget\b[^|;&]{0,200}--no-check-certificate/,
  },
  {
    name: 'secret-place',
    pattern:
      /(?:~|\$HOME|\$\{HOME\}|homedir\(\)[^;]{0,20}|home\(\)[^;]{0,20}|\/root|\/home\/\w+)["',/ ]{1,6}\.(?:ssh|aws|gnupg|netrc|npmrc|kube|docker|pypirc|git-credentials|config\/gcloud)\b/,
  },
  {
    name: 'secret-place',
    pattern:
      /\bid_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\.aws\/credentials|\/etc\/shadow|169\.254\.169\.254|metadata\.google\.internal/,
  },
  { name: 'removes-files', pattern: /\brm\s+-[a-zA-Z]{0,5}[rR][a-zA-Z]{0,5}\b/, where: hasCommands },
  {
    name: 'removes-files',
    pattern: /\bshutil\.rmtree\(|\bos\.RemoveAll\(|\bremove_dir_all\(|\bFileUtils\.rm_rf/,
    where: isOther,
  },
  {
    name: 'destroys-data',
    pattern:
      /\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN)|TRUNCATE\s+(?:TABLE\s+)?["`\w]+)\b|\.drop(?:Table|Database|Column|Collection)(?:IfExists)?\(/i,
    where: isCode,
  },
  { name: 'destroys-data', pattern: /\bDELETE\s+FROM\s+["`\w.]{1,80}\s*(?:;|["'`]|$)/i, where: isCode },
  {
    name: 'process-call',
    pattern: /\bsubprocess\.\w+\(|\bos\.(?:system|popen|exec\w*|spawn\w*)\(|\bpty\.spawn\(/,
    where: isPython,
  },
  {
    name: 'process-call',
    pattern:
      /\bexec\.Command\(|\bCommand::new\(|\bRuntime\.getRuntime\(\)\.exec|\bProcessBuilder\(|\bProcess\.Start\(|\b(?:shell_exec|passthru|proc_open)\(/,
    where: isOther,
  },
  {
    name: 'network-call',
    pattern:
      /\b(?:requests|httpx|aiohttp)\.\w+\(|\burllib\.request\.|\burlopen\(|\bsocket\.(?:socket|create_connection)\(|\bsmtplib\./,
    where: isPython,
  },
  {
    name: 'network-call',
    pattern:
      /\bhttp\.(?:Get|Post|NewRequest)\(|\bnet\.Dial|\breqwest::|\bTcpStream::connect|\bHttpClient\(|\bcurl_init\(/,
    where: isOther,
  },
  {
    name: 'network-call',
    pattern: /\b(?:curl|wget|ncat?|socat|telnet|scp)\s+\S/,
    except: /^\s*-?\s*(?:name:|echo\b)/,
    where: hasCommands,
  },
  { name: 'network-call', pattern: /\/dev\/(?:tcp|udp)\/|\b(?:nslookup|dig)\b.{0,80}\$/, where: hasCommands },
  {
    name: 'runs-text',
    pattern:
      /(?<![\w.])(?:eval|exec)\(|\bcompile\(.{0,100}["']exec["']|\bpickle\.loads?\(|\bmarshal\.loads\(|\byaml\.(?:unsafe_load|load\((?!.{0,80}SafeLoader))/,
    where: isPython,
  },
  { name: 'runs-text', pattern: /(?:^|[;&|]\s*)eval\s+["'$`]/, where: hasCommands },
  { name: 'dynamic-import', pattern: /\b__import__\(|\bimportlib\.import_module\((?!["'])/, where: isPython },
  {
    name: 'environment-read',
    pattern: /\b(?:dict|str|dumps)\(\s*os\.environ\s*\)|\bos\.environ\.(?:copy|items)\(/,
    where: isPython,
  },
  {
    name: 'data-sent',
    pattern:
      /\b(?:printenv|env|set)\s*\|\s*(?:\S+\s*\|\s*)?(?:curl|nc|wget|base64)\b|\bcurl\b.{0,200}(?:-d|--data\S*|-F|-T|--upload-file)\s*["']?(?:@|\$\(|`).{0,200}/,
    where: hasCommands,
  },
  { name: 'data-sent', pattern: /\b(?:curl|wget)\b.{0,300}\$\{\{\s*(?:secrets\.|toJSON\(secrets)/ },
  { name: 'data-sent', pattern: /\brequests\.(?:post|put|get)\(.{0,200}os\.environ/, where: isPython },
  {
    name: 'ci-permissions',
    pattern:
      /\bpull_request_target\b|\bpermissions:\s*write-all|^\s*(?:contents|packages|id-token|actions|deployments|security-events):\s*write\b|\bprivileged:\s*true/,
    where: isCi,
  },
  { name: 'ci-permissions', pattern: /\$\{\{\s*toJSON\(\s*secrets\s*\)|\bsecrets:\s*inherit\b/, where: isCi },
  {
    name: 'ci-foreign-action',
    pattern: /\buses:\s*(?!\.\/|docker:\/\/)(?!(?:actions|github)\/)[\w.-]{1,60}\/[\w./-]{1,100}@(?![0-9a-f]{40}\b)\S/,
    where: isCi,
  },
  {
    name: 'failure-ignored',
    pattern:
      /\bcontinue-on-error:\s*true|\ballow_failure:\s*true|\|\|\s*(?:true|exit\s+0|:)\s*(?:["']|$)|^\s*set\s+\+e\b/,
    where: hasCommands,
  },
  {
    name: 'permissions-wider',
    pattern: /\bchmod\s+(?:-R\s+)?(?:0?777|a\+w|o\+w|[ugoa]*\+s|[46][0-7]{3})\b/,
    where: hasCommands,
  },
  { name: 'process-call', pattern: /\bsudo\s+\S|\bdocker\s+run\b.{0,100}--privileged/, where: hasCommands },
  ...LANGUAGE_RULES,
]

const MAX_LINE = 2_000

function matchOf({ name, pattern, except }: TextRule, { number: line, text }: Line): Found | undefined {
  const read = text.slice(0, MAX_LINE)
  if (!pattern.test(read) || except?.test(read) || COMMENT.test(read)) return undefined
  return { name, what: text, line }
}

const LONG = 1_000
const ENCODED = /[A-Za-z0-9+/_-]{160,}={0,2}|(?:\\x[0-9a-f]{2}){24,}|(?:\\u[0-9a-f]{4}){24,}/i

/** Lines that a person cannot read. */
function formFacts({ before, added }: Texts): Found[] {
  const hadLong = before.split('\n').some(({ length }) => length > LONG)
  return added.flatMap(({ number: line, text }): Found[] => {
    const encoded = ENCODED.exec(text.slice(0, 20_000))?.[0]
    if (encoded !== undefined && isMixed(encoded)) return [{ name: 'encoded-text', what: `${encoded.length}`, line }]
    return text.length > LONG && !hadLong ? [{ name: 'long-line', what: `${text.length}`, line }] : []
  })
}

/** Encoded data, and no long name or ruler. */
const isMixed = (text: string) => /[a-z]/.test(text) && /\d/.test(text) && (/[A-Z]/.test(text) || text.startsWith('\\'))

const ADDRESS = /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"'`]{1,100}@)?([\w.-]{3,253})/gi
const NUMERIC = /^(?:\d{1,3}\.){3}\d{1,3}$/
/** The machine itself, private networks, and names that are reserved for examples. */
const LOCAL =
  /^(?:127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)|^localhost$|(?:^|\.)(?:example(?:\.\w+)?|test|invalid|local|localhost)$|^(?:www\.)?(?:w3\.org|json-schema\.org|json\.schemastore\.org|schema\.org)$/i

/** Hosts that the file did not name before. */
function hostFacts(path: string, { before, added }: Texts): Found[] {
  if (isTest(path)) return []
  const found: Found[] = []
  for (const { number: line, text } of added) {
    if (COMMENT.test(text) || !text.includes('://')) continue
    for (const [, host = ''] of text.slice(0, MAX_LINE).matchAll(ADDRESS)) {
      if (LOCAL.test(host) || before.includes(host)) continue
      found.push({ name: NUMERIC.test(host) ? 'address-in-code' : 'new-host', what: host, line })
    }
  }
  return found
}

const CHECK = /\b(?:test|tests|lint|audit|typecheck|check|verify|scan|coverage|codeql|trivy|semgrep|gitleaks)\b/i

/** Lines of a CI job that ran a check. */
function removedChecks({ removed, after }: Texts): Found[] {
  return removed.flatMap(({ number, text }) => {
    const isStep = /^\s*-?\s*(?:run|script|uses):|^\s*-\s+\S|^\s+(?:npm|yarn|pnpm|make|npx|go|cargo|pytest)\b/.test(
      text,
    )
    const isGone =
      isStep && CHECK.test(text) && !after.includes(text.replace(/^\s*-?\s*(?:run|script|uses):\s*/, '').trim())
    return isGone && !COMMENT.test(text) ? [{ name: 'ci-check-removed' as const, what: text, oldLine: number }] : []
  })
}
