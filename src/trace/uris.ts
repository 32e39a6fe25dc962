/** The URIs in a record. An invalid URI would make the whole record invalid, so it is left out. */

const PCHAR = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
const URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.-]*:(?://[A-Za-z0-9._~-]+(?::[0-9]{1,5})?(?:/${PCHAR}*)*|/?${PCHAR}+(?:/${PCHAR}*)*)` +
    `(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
)

export function intentUri(id: string): string {
  return `intent:${encode(id)}`
}

/** The place of a conversation: the agent's own URL if it gave one, else one of the session, else nothing. */
export function conversationUrl(conversation: string | undefined, session: string | null): string | undefined {
  if (conversation !== undefined && conversation.length <= 2048 && URI.test(conversation)) return conversation
  return session === null ? undefined : `escrow:session/${encode(session)}`
}

function encode(text: string): string {
  // A lone surrogate makes encodeURIComponent throw; a round trip through UTF-8 replaces it.
  return encodeURIComponent(Buffer.from(text).toString())
}
