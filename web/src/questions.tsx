import { useState } from 'preact/hooks'
import type { WireQuestion, WireSession } from '../../src/web/wire.js'
import { post } from './api.js'
import type { Notifier } from './app.js'
import { describeError, Name } from './shared.js'

interface Props extends Notifier {
  readonly session: WireSession
}

const ANSWERS: Readonly<Record<WireQuestion['kind'], readonly (readonly [answer: string, name: string])[]>> = {
  scope: [['allow', 'Add to the scope']],
  access: [
    ['allow', 'Allow'],
    ['once', 'Once'],
    ['subtree', 'Its directory'],
    ['remember', 'Always'],
  ],
  command: [
    ['allow', 'Allow'],
    ['once', 'Once'],
    ['remember', 'Always'],
  ],
}

/** Answers a question by a key: the focused one, or with `focused` false the first one with this answer. False if there is none. */
export function answerByKey(answer: string, focused: boolean): boolean {
  const place = focused ? document.activeElement?.closest('.ask') : document.querySelector('.questions')
  const button = place?.querySelector<HTMLButtonElement>(`[data-answer="${answer}"]`)
  button?.click()
  return button != null
}

/** The agent's questions with buttons for the answers. */
export function Questions({ session, notify }: Props) {
  if (session.questions.length === 0) return null
  return (
    <section class="questions" aria-label="Questions of the agent">
      {session.questions.map((question) => (
        <Ask key={question.id} session={session.id} question={question} notify={notify} />
      ))}
    </section>
  )
}

function Ask({ session, question, notify }: Notifier & { session: string; question: WireQuestion }) {
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const answer = async (choice: string) => {
    setBusy(true)
    try {
      await post(`sessions/${encodeURIComponent(session)}/questions/${encodeURIComponent(question.id)}`, {
        answer: choice === 'remember' ? 'allow' : choice,
        ...(choice === 'remember' && { remember: true }),
        ...(reason.trim() !== '' && { words: reason.trim() }),
      })
      notify(
        choice === 'deny'
          ? 'Denied. The agent hears why at its next call.'
          : 'Answered. The agent hears it at its next call.',
      )
    } catch (error) {
      notify(describeError(error), 'bad')
    }
    setBusy(false)
  }
  return (
    <article class="ask">
      <p>
        <QuestionText question={question} />
      </p>
      {question.why !== undefined && (
        <p class="quiet">
          <Name text={question.why} />
        </p>
      )}
      <label>
        <span class="unseen">Words for the agent</span>
        <input
          value={reason}
          placeholder="words for the agent"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        {ANSWERS[question.kind].map(([word, name]) => (
          <button
            key={word}
            type="button"
            data-answer={word}
            title={word === 'remember' ? 'Allow it and write the rule to policy.yaml' : undefined}
            disabled={busy}
            onClick={() => void answer(word)}
          >
            {name}
          </button>
        ))}
        <button
          type="button"
          class="bad"
          data-answer="deny"
          disabled={busy || reason.trim() === ''}
          title="A refusal needs words"
          onClick={() => void answer('deny')}
        >
          Deny
        </button>
      </div>
    </article>
  )
}

function QuestionText({ question }: { question: WireQuestion }) {
  const { kind, path = '', rule = '', command = '', rules = [], intentId = '', globs = [], reach } = question
  if (kind === 'access')
    return (
      <>
        May it write{' '}
        <code>
          <Name text={path} />
        </code>
        ?{' '}
        <span class="quiet">
          The rule <code>{rule}</code> asks.
        </span>
      </>
    )
  if (kind === 'command')
    return (
      <>
        May it run{' '}
        <code>
          <Name text={command} />
        </code>
        ? <span class="quiet">{rules.join(', ')} asks.</span>
      </>
    )
  return (
    <>
      May {intentId} own{' '}
      {globs.map((glob, at) => (
        <>
          {at > 0 && ', '}
          <code>
            <Name text={glob} />
          </code>
        </>
      ))}{' '}
      too?
      {reach !== undefined && (
        <span class="quiet">
          {' '}
          <Name text={reach} />
        </span>
      )}
    </>
  )
}
