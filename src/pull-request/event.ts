import { isObject } from '../core/is-object.js'
import { readSmall } from '../os/read.js'

/** The forge's description of the pull request that its runner works on. */
export interface ForgeEvent {
  readonly forge: 'github' | 'gitlab'
  readonly base: string
  readonly head: string
  /** The file that GitHub shows on the run's page. */
  readonly summary?: string
}

const EVENT_LIMIT = 16 * 1024 * 1024

/**
 * Reads the pull request from the runner's environment: GitHub's event file, or GitLab's variables of a merge request pipeline.
 * @returns undefined outside of a forge, and for events that are not pull requests
 */
export function readForgeEvent(env: NodeJS.ProcessEnv): ForgeEvent | undefined {
  return githubEvent(env) ?? gitlabEvent(env)
}

function githubEvent({ GITHUB_ACTIONS, GITHUB_EVENT_PATH: file, GITHUB_STEP_SUMMARY: summary }: NodeJS.ProcessEnv) {
  if (GITHUB_ACTIONS !== 'true' || file === undefined) return undefined
  const event: unknown = JSON.parse(readSmall(file, EVENT_LIMIT))
  const request = isObject(event) ? event.pull_request : undefined
  const [base, head] = isObject(request) ? [shaOf(request.base), shaOf(request.head)] : []
  if (base === undefined || head === undefined) return undefined
  return { forge: 'github', base, head, ...(summary && { summary }) } as const
}

function shaOf(side: unknown): string | undefined {
  return isObject(side) && typeof side.sha === 'string' ? side.sha : undefined
}

function gitlabEvent({ GITLAB_CI, CI_MERGE_REQUEST_DIFF_BASE_SHA: base, CI_COMMIT_SHA: head }: NodeJS.ProcessEnv) {
  if (GITLAB_CI !== 'true' || !base || !head) return undefined
  return { forge: 'gitlab', base, head } as const
}
