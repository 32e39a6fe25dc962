/** The purpose that a function's name suggests: it decides about rights, or it checks or cleans a value. */
export type CheckKind = 'rights' | 'value'

const RIGHTS =
  /auth(?!or\b|ors\b|ored\b|oring\b)|login|permission|permitted|isallowed|isadmin|isowner|forbid|accesscontrol|checkaccess|hasaccess|canaccess|hasrole|requirerole|requireuser|requireadmin|csrf|protect|ratelimit|entitle|guardian|policycheck|session(?:required|check)|assertrole|assertowner|adminonly|ensureuser/
const VALUE =
  /^(?:is)?(?:valid|verif|sanitiz|sanitis|escape|assert|ensure|purify|safeparse|timingsafeequal|constanttime)|(?:validate|validator|verify|sanitize|sanitise|escape|escapehtml|timingsafeequal|checksum|signature|assertvalid)/

/** By the words of the name, whatever their case. */
export function checkName(name: string): CheckKind | undefined {
  const plain = name.replace(/[^A-Za-z]/g, '').toLowerCase()
  if (RIGHTS.test(plain)) return 'rights'
  return VALUE.test(plain) ? 'value' : undefined
}
