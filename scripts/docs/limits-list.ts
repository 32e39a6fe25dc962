/** What the constants of the sources hold calls to, in the reader's words. The values are read from the sources. */

export type Unit = 'bytes' | 'milliseconds' | 'count'

/** `file#NAME` → its unit, and what it bounds. */
export type Limits = Readonly<Record<string, readonly [unit: Unit, what: string]>>

export const CALLS: Limits = {
  'overlay/layer.ts#MAX_FILE_SIZE': ['bytes', 'a file that is staged, also by a chmod or a rename; more is `EFBIG`'],
  'overlay/path.ts#NAME_MAX': ['bytes', 'one name; more is `ENAMETOOLONG`'],
  'overlay/path.ts#PATH_MAX': ['bytes', 'a path as it is given; more is `ENAMETOOLONG`'],
  'overlay/resolve.ts#MAX_LINKS': ['count', 'symbolic links on the way of one path; more is `ELOOP`'],
  'src/stage/opened-stage.ts#MEMORY': [
    'bytes',
    'staged content in memory, unless `memory` says else; more is left to files',
  ],
  'src/commit/journal.ts#UNDO_COMMITS': ['count', 'commits that can be undone, unless `limits.undo_commits` says else'],
  'overlay/tick.ts#LONGEST_MS': [
    'milliseconds',
    'until policy and intents are looked at again in one turn of the event loop',
  ],
  'src/fs/fairness.ts#BUDGET_MS': [
    'milliseconds',
    'in which promises of `session.fs` follow each other; then timers and I/O have a turn',
  ],
  'overlay/digest.ts#PART': ['bytes', 'that promises and callbacks digest or store in one turn of the event loop'],
  'src/fs/kernel-fd.ts#LONGEST_READ': [
    'bytes',
    'that `readFile` of a descriptor reads, as in Node; more is `ERR_FS_FILE_TOO_LARGE`',
  ],
  'src/fs/fairness.ts#AT_ONCE': ['count', 'promises that resolve in one turn after they waited for it'],
  'overlay/base.ts#MERGE_LIMIT': ['bytes', 'a file whose content is kept for a merge'],
  'src/fs/judge-move.ts#LOOKED_AT': ['count', 'entries looked at before a directory moves; the rest at its commit'],
  'src/fs/view.ts#LARGE': ['bytes', 'a file of the disk that promises and callbacks read at once, not later'],
  'src/stage/content-lock.ts#LARGE': ['bytes', 'a file whose opening alone counts as having read it'],
  'src/policy/chain.ts#READ_GRACE_MS': ['milliseconds', 'how old `policy.yaml` may be for a read; for a write never'],
  'overlay/resolve.ts#FRESH_MS': ['milliseconds', 'how long a directory of the disk is taken for one, for reads'],
  'src/fs/change-feed.ts#GATHER_MS': ['milliseconds', 'in which events of the disk are told as one'],
  'src/stage/declarations.ts#KEPT': ['count', 'tool calls of a session whose declared mutation class is remembered'],
  'src/workspace/workspace.ts#BUSY_WAIT_MS': ['milliseconds', 'how long a session that another holds is waited for'],
  'src/exec/proposed-commits.ts#MAX_COMMITS': ['count', 'git commits of one program that are kept as proposals'],
  'src/exec/proposed-commits.ts#TIMEOUT_MS': ['milliseconds', 'that git has to list the commits of a program'],
  'src/terminal/network/proxy.ts#MAX_REFUSED': ['count', 'addresses a command could not reach that are listed'],
  'src/inbox/ask-owner.ts#TIMEOUT': [
    'milliseconds',
    "how long a hook waits for a session's owner to tell what reviewers said",
  ],
  'src/terminal/client-home.ts#WAIT_MS': [
    'milliseconds',
    'how long a client waits for the state that another of its kind has; then it is not started',
  ],
  'src/host/lock.ts#WAIT_MS': ['milliseconds', 'how long a commit waits for another; then it fails'],
}

export const FILES: Limits = {
  'src/host/yaml.ts#MAX_YAML_BYTES': ['bytes', '`policy.yaml`, the intents, a template'],
  'src/host/yaml-scan.ts#MAX_DEPTH': ['count', 'levels in them; anchors, aliases and tags are refused'],
  'src/core/globs.ts#MAX_GLOBS': ['count', 'globs of one intent'],
  'src/core/globs.ts#MAX_GLOB_LENGTH': ['count', 'characters of a glob'],
  'src/core/globs.ts#MAX_ALTERNATIVES': ['count', 'globs that the braces of one stand for'],
  'src/core/globs.ts#MAX_STARS': ['count', '`*` in one segment of a glob, and `**` in a glob'],
  'src/terminal/client-home.ts#MAX_COPIED': ['bytes', "a client's file that is copied beside its state"],
  'src/inbox/owner-socket.ts#LONGEST': ['bytes', "the path of a session's socket"],
  'src/intents/ignore.ts#MAX_BYTES': ['bytes', '`.intentignore`'],
  'src/intents/templates.ts#MAX_TEMPLATES': ['count', 'templates of a workspace'],
  'src/session/agent.ts#MOST': [
    'count',
    'characters of the name that a client gives of itself or of its model; the rest is cut',
  ],
  'src/session/lessons.ts#MAX_BYTES': ['bytes', 'a lesson'],
  'src/history/trace-context.ts#BUDGET': ['bytes', "what an agent is told of its intent's past"],
  'src/history/trace-context.ts#ENTRIES': ['count', 'changes it is told of'],
  'src/history/trace-context.ts#FILES': ['count', 'files'],
  'src/history/trace-context.ts#LESSONS': ['count', 'lessons'],
  'src/client-settings/files.ts#MAX_BYTES': ['bytes', "a client's settings that `escrow init` can change"],
  'src/client-settings/foreign.ts#LONGEST': ['count', "characters that `escrow doctor` shows of a client's setting"],
  'src/client-settings/foreign.ts#MOST': [
    'count',
    "entries of a directory of a client's settings that `escrow doctor` looks at",
  ],
  'src/host/git.ts#MAX_BYTES': ['bytes', "a file of git's that is read for a name"],
  'src/trace/vcs.ts#MAX_BYTES': ['bytes', "a file of git's that is read for a revision"],
}

export const REVIEW: Limits = {
  'src/review/diff.ts#COMPARE_LIMIT': ['bytes', 'a file that is compared, or merged, by lines; more is one hunk'],
  'src/review/diff.ts#SHOW_LIMIT': ['bytes', 'a file that is shown at all'],
  'src/review/diff.ts#EDIT_LIMIT': ['count', 'lines that differ; with more the file is one hunk'],
  'src/review/merge.ts#STEP_LIMIT': ['count', 'steps of a merge; with more it is a conflict'],
  'src/review/glob.ts#LENGTH': ['count', 'characters of a glob that selects changes'],
  'src/review/glob.ts#STARS_PER_SEGMENT': ['count', '`*` in one segment of it'],
  'src/review/highlight.ts#TEXT_LIMIT': ['count', 'characters of a text that is coloured'],
  'src/review/highlight.ts#LINE_LIMIT': ['count', 'characters of a line that is coloured'],
  'src/review/highlight.ts#TIME_LIMIT_MS': ['milliseconds', 'for colouring a text'],
  'src/review/word-diff.ts#LINE_LIMIT': ['count', 'characters of a line whose words are compared'],
  'src/review/word-diff.ts#RUN_LIMIT': ['count', 'lines in a row whose words are compared'],
  'src/cli/review/typing.ts#TEXT_LIMIT': ['count', 'characters of a reason typed in the terminal'],
  'src/cli/render-diff.ts#LINE_LIMIT': ['count', 'characters of a line that `escrow diff` shows'],
  'src/web/lines.ts#LINE_LIMIT': ['count', 'characters of a line that the page shows'],
  'src/web/files.ts#EDITABLE': ['bytes', 'a text that the page lets you edit'],
  'src/web/app.ts#BODY': ['bytes', "a request to the page's server"],
  'src/web/serve.ts#CONNECTIONS': ['count', 'connections to it'],
  'src/web/change-events.ts#MOST': ['count', 'pages that are open at a time'],
  'src/web/guard.ts#TICKET_MS': ['milliseconds', 'in which a browser that was started must come'],
}

export const LEDGER: Limits = {
  'src/commit/journal.ts#KEPT_PLANS': ['count', 'commits whose plans are kept; a stage that slept longer has drifted'],
  'src/trace/lines.ts#MAX_LINE': ['bytes', 'a line of the ledger; a larger commit has several'],
  'src/trace/chain.ts#MOST_SIDES': ['count', 'branches of a merged ledger that are open at one time'],
  'src/trace/record-file.ts#MODEL_MAX': ['count', "characters of a model's name"],
  'src/trace/attribution.ts#DIFF_BYTES': ['bytes', 'a file whose changed lines are told apart in the ledger'],
  'src/trace/attribution.ts#FOLLOWED_LINES': ['count', 'lines of a file that are followed'],
  'src/trace/line-hunks.ts#SEARCHED_LINES': ['count', 'lines that are compared for what moved'],
  'src/trace/line-hunks.ts#DIFF_EDITS': ['count', 'lines that differ; with more the change counts as one'],
  'src/change-class/classify.ts#MAX_BYTES': ['bytes', 'a file whose mutation class is measured'],
  'src/change-class/measure.ts#BUDGET': ['bytes', 'sources measured for one commit; the rest counts as unverified'],
  'src/trace/intent-map/ast-nodes.ts#MAX_BYTES': ['bytes', 'a file whose parts the intent map names'],
  'src/trace/intent-map/document.ts#MOST_NODES': ['count', 'parts of a file that it names'],
  'src/history/intent-map.ts#MAX_MAP': ['bytes', '`intent_map.md`'],
  'src/host/tree.ts#MAX_NODES': ['count', 'nodes of a syntax tree that is looked at'],
  'src/host/tree.ts#MAX_DEPTH': ['count', 'levels of it'],
}

export const COMMANDS: Limits = {
  'src/client-settings/probe.ts#PATIENCE': ['milliseconds', "in which a client's hook answers `escrow doctor`"],
  'src/exec/background-command.ts#MAX_REFUSED': [
    'count',
    'refused writes that an agent inside of `escrow run` is told of one by one',
  ],
  'src/inbox/mount-words.ts#MOST': ['bytes', "reviewers' words that are waiting for an agent inside of `escrow run`"],
  'src/terminal/denial-spool.ts#MAX_SPOOLED': [
    'count',
    'refusals of a mount that are told one by one; the rest are counted in one record',
  ],
  'src/terminal/command-io.ts#PROCESSES': ['count', 'processes of a command; with more it is ended'],
  'src/terminal/command-io.ts#MAX_KEPT': ['bytes', 'each stream of `session.exec`; what comes later is let go'],
  'src/exec/background-command.ts#MAX_OUTPUT': ['bytes', 'output of a command that runs on, the newest'],
  'src/exec/background-command.ts#GRACE_MS': ['milliseconds', 'it has to end by itself, unless told'],
  'src/exec/commands.ts#MAX_RUNNING': ['count', 'commands of a session that run on at a time'],
  'src/exec/commands.ts#MAX_ENDED': ['count', 'ended ones that are still listed'],
  'src/terminal/command-place.ts#LAYER_BYTES': ['bytes', 'what commands have written and is not staged'],
  'src/terminal/effects.ts#MAX_DEPTH': ['count', 'directories in each other that a command leaves'],
  'src/terminal/quarantine.ts#MAX_CONTENT': ['bytes', 'content in the quarantine, of one command'],
  'src/embed/command-outputs.ts#MAX_KEPT': ['count', 'long outputs that are kept of a session'],
  'src/exec/format.ts#BUDGET_MS': ['milliseconds', 'all formatters have after a tool call'],
  'src/command-class/classify.ts#MAX_LINE': ['count', 'characters of a line that is classed; more is `other`'],
  'src/command-class/classify.ts#MAX_DEPTH': ['count', 'shells in shells; more is `other`'],
  'src/command-class/judge.ts#MAX_LAYERS': ['count', 'wrappers in wrappers; more is `other`'],
  'src/terminal/secret-variables.ts#MAX_VALUE': ['bytes', 'a variable that is searched for a secret'],
  'src/core/shell-api.ts#MAX_SHELL_LINE': ['count', 'characters of a line that `escrow-sh` runs'],
}

export const CLIENTS: Limits = {
  'src/client-settings/texts.ts#PATIENCE': [
    'count',
    'seconds after which the command of a hook is killed, where the system has `timeout`',
  ],
  'src/client-settings/switches.ts#MAX_BYTES': ['bytes', "a client's settings that `escrow doctor` looks at"],
  'src/inbox/known-texts.ts#MOST': [
    'count',
    'conversations of a workspace of which it is remembered what their model was told of the intent',
  ],
  'src/inbox/known-texts.ts#MAX_BYTES': ['bytes', 'the file that remembers it'],
  'src/cli/hook-answer.ts#MOST': ['bytes', 'an event of `escrow hook`'],
  'src/cli/hook-answer.ts#DEADLINE_MS': ['milliseconds', 'for its answer; then the tool is held'],
  'src/agents/claude/http.ts#PATIENCE': ['milliseconds', 'the same of a served hook'],
  'src/agents/cline/answer.ts#MOST_CONTEXT': ['count', "characters Cline's model is told at once"],
  'src/agents/mcp/stdio.ts#MESSAGE': ['bytes', 'a message of `escrow mcp`'],
  'src/agents/mcp/http-clients.ts#BODY': ['bytes', 'the same over HTTP'],
  'src/agents/mcp/http-clients.ts#MOST': ['count', 'clients of it at a time'],
  'src/agents/mcp/elicit.ts#PATIENCE': ['milliseconds', "a question stays on a client's screen"],
  'src/agents/mcp/globs.ts#TIME': ['milliseconds', 'a call may spend on matching'],
  'src/agents/mcp/globs.ts#LENGTH': ['count', 'characters of a pattern'],
  'src/agents/mcp/globs.ts#BRACES': ['count', 'braces in it'],
  'src/agents/mcp/search-tree.ts#MOST': ['count', 'entries of a tree, or of a search'],
  'src/agents/mcp/list-directories.ts#PAGE': ['count', 'entries of a directory, at once'],
  'src/agents/mcp/execute-command.ts#SHOWN': ['count', "characters of a command's output"],
  'src/agents/mcp/resources.ts#LISTED': ['count', 'staged files that are listed as resources'],
  'src/agents/acp/lines.ts#LONGEST': ['bytes', 'a message of `escrow acp`'],
  'src/agents/acp/serve.ts#WAITING': ['bytes', 'that may wait for an agent that does not read'],
  'src/agents/acp/files.ts#PATIENCE': ['milliseconds', 'the editor has to say what stands in a buffer'],
  'src/agents/acp/terminals.ts#SHOWN': ['bytes', 'output of its terminal, unless told'],
  'src/agents/roo/list-files.ts#LIMIT': ['count', 'entries of `list_files`, as in the host'],
  'src/agents/roo/read-arguments.ts#LINES': ['count', 'lines of `read_file`, unless told'],
  'src/agents/roo/read-command-output.ts#LIMIT': ['bytes', 'output of `read_command_output`, at once'],
  'src/agents/roo/execute-command.ts#KEPT': ['bytes', 'output kept of one command'],
  'src/agents/roo/search-files.ts#RESULTS': ['count', 'results of `search_files`'],
  'src/agents/roo/search-files.ts#FILE_BYTES': ['bytes', 'a file that it searches'],
  'src/agents/roo/search-files.ts#TIME_MS': ['milliseconds', 'a pattern may take'],
}

export const ALL: Limits = { ...CALLS, ...FILES, ...REVIEW, ...LEDGER, ...COMMANDS, ...CLIENTS }
