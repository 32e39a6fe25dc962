import { type Codeowners, parseCodeowners } from './codeowners.js'
import type { ApprovedPart, Missing, QueuedChange, ReviewRules } from './types.js'

/** A vote of a reviewer on exactly the bytes of a change. */
export interface Vote {
  readonly verdict: 'approved' | 'rejected'
  readonly name: string
  /** Identifies the reviewer independently of the name: a token's name, or the issuer and subject of a sign-in. */
  readonly subject: string
  /** Teams that the reviewer's sign-in named. */
  readonly teams: readonly string[]
  /** Whether the reviewer's token was revoked since. Its approvals do not count, but its rejections still apply. */
  readonly isRevoked: boolean
  /** The hunks that it is on; undefined: the whole change. */
  readonly hunks?: readonly string[] | undefined
}

/** The approvals that a change still needs, by the rules of its workspace. */
export class Approval {
  readonly #owners: Codeowners | undefined

  constructor(private readonly rules: ReviewRules) {
    this.#owners = rules.codeowners === null ? undefined : parseCodeowners(rules.codeowners)
  }

  /**
   * Undefined: enough people approved, and no rejection applies.
   * @param votes all on this change, oldest first
   */
  missing(change: Pick<QueuedChange, 'path' | 'from' | 'kind'>, votes: readonly Vote[]): Missing | undefined {
    const counted = countedApprovals(votes)
    const approvals = Math.max(0, this.rules.approvals - countPeople(counted))
    const owners = this.#ownersOf(change).filter((names) => !counted.some((vote) => this.#isOneOf(vote, names)))
    const rejectedBy = standingRejections(votes)
    if (rejectedBy.length + approvals + owners.length === 0) return undefined
    return { approvals, owners, rejectedBy }
  }

  /** One list for each path of the change that has owners. A link in place of a directory changes what is below it. */
  #ownersOf({ path, from, kind }: Pick<QueuedChange, 'path' | 'from' | 'kind'>): (readonly string[])[] {
    const paths = [path, ...(from === undefined ? [] : [from]), ...(kind === 'link' ? [`${path}/\0`] : [])]
    const lists = paths.map((each) => this.#owners?.ownersOf(each) ?? []).filter((names) => names.length > 0)
    return lists.filter((names, at) => lists.findIndex((other) => other.join() === names.join()) === at)
  }

  #isOneOf({ name, teams }: Vote, owners: readonly string[]): boolean {
    const listed = Object.entries(this.rules.teams).filter(([, members]) => members.some((each) => isSame(each, name)))
    const names = [...ownerNamesOf(name), ...teams, ...listed.map(([team]) => team)]
    return owners.some((owner) => names.some((each) => isSame(each, owner)))
  }
}

/**
 * A name in the form of CODEOWNERS. A name that looks like a team is not an owner, because people can choose their
 * names.
 */
function ownerNamesOf(name: string): string[] {
  if (/^[A-Za-z0-9_.-]+$/.test(name)) return [`@${name}`]
  return /^[^@\s]+@[^@\s]+$/.test(name) ? [name] : []
}

/** GitHub's names differ by more than case. Other letters are compared as they are, because some become ASCII in lower case. */
function isSame(one: string, other: string): boolean {
  const isPlain = /^[\x21-\x7e]*$/.test(one + other)
  return isPlain ? one.toLowerCase() === other.toLowerCase() : one === other
}

/**
 * A rejection applies until the same person approves. People can choose the name of a sign-in, so only its subject
 * identifies them.
 */
function standingRejections(votes: readonly Vote[]): string[] {
  const standing = votes.filter(
    (vote, at) =>
      vote.verdict === 'rejected' &&
      !votes
        .slice(at + 1)
        .some((later) => later.verdict === 'approved' && !later.isRevoked && isSurelyOnePerson(vote, later)),
  )
  return [...new Set(standing.map(({ name }) => name))]
}

function isSurelyOnePerson(one: Vote, other: Vote): boolean {
  const areByName = hasNoSignIn(one) && hasNoSignIn(other)
  return areByName ? fold(one.name) === fold(other.name) : one.subject === other.subject
}

/** In doubt, treats two people as one. */
function isOnePerson(one: Vote, other: Vote): boolean {
  return one.subject === other.subject || fold(one.name) === fold(other.name)
}

/**
 * The people whose approvals count, in the order of their latest approvals. A person with several names is listed by
 * the latest one.
 */
export function peopleOfApprovals(votes: readonly Vote[]): string[] {
  return namesOf(peopleOf(countedApprovals(votes)))
}

/** As {@link peopleOfApprovals}, but only those who approved each of these hunks; undefined: the whole change. */
export function peopleWhoApproved(votes: readonly Vote[], on: readonly string[] | undefined): string[] {
  const people = peopleOf(countedApprovals(votes))
  const approved = (person: readonly Vote[], id?: string) =>
    person.some(({ hunks }) => hunks === undefined || (id !== undefined && hunks.includes(id)))
  return namesOf(
    people.filter((person) => (on === undefined ? approved(person) : on.every((id) => approved(person, id)))),
  )
}

/** The people who approved only some of these hunks, with those hunks. Together they may meet the rules. */
export function peopleOfParts(votes: readonly Vote[], on: readonly string[] | undefined): ApprovedPart[] {
  const whole = new Set(peopleWhoApproved(votes, on))
  return peopleOf(countedApprovals(votes)).flatMap((person) => {
    const [name] = namesOf([person])
    const ids = new Set(person.flatMap(({ hunks = [] }) => hunks))
    const hunks = [...ids].filter((id) => on === undefined || on.includes(id))
    return name === undefined || whole.has(name) || hunks.length === 0 ? [] : [{ name, hunks }]
  })
}

function countedApprovals(votes: readonly Vote[]): Vote[] {
  return votes.filter(({ verdict, isRevoked }) => verdict === 'approved' && !isRevoked)
}

function namesOf(people: readonly (readonly Vote[])[]): string[] {
  return people.flatMap(([latest]) => latest?.name ?? [])
}

/**
 * The votes of each person, the latest first. Two votes belong to one person if they share the name or the subject,
 * directly or through other votes.
 */
function peopleOf(votes: readonly Vote[]): Vote[][] {
  let people: Vote[][] = []
  for (const vote of votes) {
    const same = people.filter((person) => person.some((each) => isOnePerson(each, vote)))
    people = [...people.filter((person) => !same.includes(person)), [vote, ...same.flat()]]
  }
  return people
}

/**
 * A person who votes only with a token may be the same as one who votes only with a sign-in under another name. So each
 * such pair counts once.
 */
function countPeople(votes: readonly Vote[]): number {
  const people = peopleOf(votes)
  const byToken = people.filter((person) => person.every(hasNoSignIn)).length
  const bySignIn = people.filter((person) => !person.some(hasNoSignIn)).length
  return people.length - Math.min(byToken, bySignIn)
}

/** Without a sign-in, the subject is the name: see `insertVote`. */
function hasNoSignIn({ subject, name }: Vote): boolean {
  return subject === `name ${name}`
}

/** Names that look alike are counted as one. */
function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
